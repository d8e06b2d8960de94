import type { Namespace } from '@assay/contracts';

/** The two lines between which a release's notes are ours. */
export interface BlockMarkers {
  readonly start: string;
  readonly end: string;
}

/** Every namespace and suite has its own pair, so that suites and deployments on one release do not touch each other. */
export function blockMarkers(namespace: Namespace, suite: string): BlockMarkers {
  return { start: `<!-- assay:${namespace}:${suite}:start -->`, end: `<!-- assay:${namespace}:${suite}:end -->` };
}
