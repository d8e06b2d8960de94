import { KNOWN_AGENTS } from '@assay/agents';
import type { Config } from '../config';
import { HttpImageRegistry } from './http-image-registry.client';
import { ImagePinning } from './image-pinning';
import { Preflight } from './preflight';

/** The check that a deployment's settings make. */
export function preflightOf(config: Pick<Config, 'ASSAY_REGISTRY_ACCESS' | 'ASSAY_REGISTRY_MIRROR'>): Preflight {
  const mirror = config.ASSAY_REGISTRY_MIRROR ?? null;
  const registry = config.ASSAY_REGISTRY_ACCESS === 'on' ? new HttpImageRegistry({ mirror }) : null;
  return new Preflight(new ImagePinning(registry), KNOWN_AGENTS);
}
