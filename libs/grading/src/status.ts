import { digitsEnd } from './text/digits';

/** Test id to status, in the order of first appearance, like Python's dict. Values other than the five do occur. */
export type StatusMap = Map<string, string>;

/** The statuses that the harness knows (its TestStatus). XPASS is none of them. */
export const STATUSES = ['FAILED', 'PASSED', 'SKIPPED', 'ERROR', 'XFAIL'] as const;

const F = 0x46;
const P = 0x50;
const S = 0x53;
const E = 0x45;
const X = 0x58;
const D = 0x44;
const R = 0x52;
const L = 0x4c;

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

/** True when some status word ends at `end`, whatever stands before it. */
export function statusEndsAt(text: string, end: number): boolean {
  switch (text.charCodeAt(end - 1)) {
    case D:
      return text.endsWith('PASSED', end) || text.endsWith('FAILED', end) || text.endsWith('SKIPPED', end);
    case R:
      return text.endsWith('ERROR', end);
    case L:
      return text.endsWith('XFAIL', end);
    default:
      return false;
  }
}

/** One and the same string for all equal words, so that a map of millions of tests holds five and not millions. */
export function shared(status: string): string {
  return STATUSES.find((known) => known === status) ?? status;
}

/** pytest's summary `SKIPPED [3] path:line: reason`, in which the second word is a count and not a test. */
export function isSkipSummary(status: string, name: string): boolean {
  if (status !== 'SKIPPED' || !name.startsWith('[')) return false;
  const end = digitsEnd(name, 1);
  return end > 1 && end === name.length - 1 && name.endsWith(']');
}
