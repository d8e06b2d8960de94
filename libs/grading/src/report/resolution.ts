import type { TestList, TestsStatus } from './tests-status';

/** The harness's ResolvedStatus. Only FULL counts as resolved. */
export const RESOLUTIONS = ['RESOLVED_FULL', 'RESOLVED_PARTIAL', 'RESOLVED_NO'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** FULL: all of both lists; PARTIAL: some of FAIL_TO_PASS and all of PASS_TO_PASS; else NO. */
export function resolutionOf(tests: TestsStatus): Resolution {
  const fixed = share(tests.FAIL_TO_PASS);
  if (share(tests.PASS_TO_PASS) < 1) return 'RESOLVED_NO';
  if (fixed === 1) return 'RESOLVED_FULL';
  return fixed > 0 ? 'RESOLVED_PARTIAL' : 'RESOLVED_NO';
}

/** Successes in those that were judged; 1 where none was, a known hole of the harness. */
function share({ success, failure }: TestList): number {
  const judged = success.length + failure.length;
  return judged === 0 ? 1 : success.length / judged;
}
