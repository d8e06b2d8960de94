import type { Names, Timings } from '@assay/contracts';
import type { FrozenManifests } from './frozen-manifests';

/** What the verbs of the work protocol are held to: frozen manifests, durations, and how subjects are named. */
export interface WorkProtocol {
  readonly manifests: FrozenManifests;
  readonly timings: Timings;
  readonly names: Names;
}
