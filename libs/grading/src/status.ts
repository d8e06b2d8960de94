/** Test id to status, in the order of first appearance, like Python's dict. Values other than the five do occur. */
export type StatusMap = Map<string, string>;

/** The statuses that the harness knows (its TestStatus). XPASS is none of them. */
export const STATUSES = ['FAILED', 'PASSED', 'SKIPPED', 'ERROR', 'XFAIL'] as const;

/** True when some status word stands at `at`, whatever follows it. */
export function statusAt(text: string, at: number): boolean {
  return STATUSES.some((status) => text.startsWith(status, at));
}

export function endsWithStatus(text: string): boolean {
  return STATUSES.some((status) => text.endsWith(status));
}

const COUNT = /^\[\p{Nd}+\]$/u;

/** pytest's summary `SKIPPED [3] path:line: reason`, in which the second word is a count and not a test. */
export function isSkipSummary(status: string, name: string): boolean {
  return status === 'SKIPPED' && COUNT.test(name);
}
