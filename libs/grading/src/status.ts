/** Test id to status, in the order of first appearance, like Python's dict. Values other than the five do occur. */
export type StatusMap = Map<string, string>;

/** The statuses that the harness knows (its TestStatus). XPASS is none of them. */
export const STATUSES = ['FAILED', 'PASSED', 'SKIPPED', 'ERROR', 'XFAIL'] as const;

const F = 0x46;
const P = 0x50;
const S = 0x53;
const E = 0x45;
const X = 0x58;

/** True when some status word stands at `at`, whatever follows it. Asked for every line of a log, so kept cheap. */
export function statusAt(text: string, at: number): boolean {
  switch (text.charCodeAt(at)) {
    case F:
      return text.startsWith('FAILED', at);
    case P:
      return text.startsWith('PASSED', at);
    case S:
      return text.startsWith('SKIPPED', at);
    case E:
      return text.startsWith('ERROR', at);
    case X:
      return text.startsWith('XFAIL', at);
    default:
      return false;
  }
}

export function endsWithStatus(text: string): boolean {
  return STATUSES.some((status) => text.endsWith(status));
}

const COUNT = /^\[\p{Nd}+\]$/u;

/** pytest's summary `SKIPPED [3] path:line: reason`, in which the second word is a count and not a test. */
export function isSkipSummary(status: string, name: string): boolean {
  return status === 'SKIPPED' && COUNT.test(name);
}
