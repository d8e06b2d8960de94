import type { Manifest } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import type { KnownAgent, Suite } from '@assay/suites';
import type { ImagePinning } from './image-pinning';

/** The check before a run is QUEUED: all that it will be measured with can be had, and is named by its content. */
export class Preflight {
  constructor(
    private readonly images: ImagePinning,
    private readonly agents: readonly KnownAgent[],
  ) {}

  /**
   * The manifest with the digest of every image.
   * @throws TaskError `images_unpinned`, `agent_unpinned`; InfraError `registry_unreachable`: another time may do
   */
  async passed(manifest: Manifest, { unpinned }: Pick<Suite, 'unpinned'>, signal: AbortSignal): Promise<Manifest> {
    this.requireAgent(manifest.agent);
    if (unpinned === 'allow') return manifest;
    return { ...manifest, instances: await this.images.pinned(manifest.instances, signal) };
  }

  private requireAgent({ name, version, integrity }: Manifest['agent']): void {
    const packaged = this.agents.some((agent) => agent.name === name && agent.packaged === true);
    if (!packaged || integrity !== null) return;
    throw new TaskError(`the package of ${name} ${version} has no integrity`, {
      code: 'agent_unpinned',
      phase: 'dispatch',
      details: { name, version },
    });
  }
}
