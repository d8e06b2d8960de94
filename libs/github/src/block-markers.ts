import type { Namespace } from '@assay/contracts';

/** The two lines between which a release's notes are ours. */
export interface BlockMarkers {
  readonly start: string;
  readonly end: string;
  /**
   * Lines of other tools that show where a result belongs. A new block goes right below the first that stands alone in its
   * line; without one it goes to the end of the notes. They are never removed or moved, nor is anything around them.
   */
  readonly anchors: readonly string[];
}

/** The single marker of the pipeline that qwen-code had first: it was followed by a result, or by people's text. */
export const DEFAULT_ANCHORS: readonly string[] = ['<!-- qwen-code-benchmark -->'];

/** Every namespace and suite has its own pair, so that suites and deployments on one release do not touch each other. */
export function blockMarkers(
  namespace: Namespace,
  suite: string,
  anchors: readonly string[] = DEFAULT_ANCHORS,
): BlockMarkers {
  return {
    anchors,
    start: `<!-- assay:${namespace}:${suite}:start -->`,
    end: `<!-- assay:${namespace}:${suite}:end -->`,
  };
}
