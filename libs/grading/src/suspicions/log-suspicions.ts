import { someExitCodeMark } from '../log/exit-code';
import { BAD_CODES, END_MARKER, occurrences, START_MARKER } from '../log/markers';
import { STATUSES, type StatusMap } from '../status';
import type { Suspicion } from './suspicion';

/** What in a log (after `universalNewlines`) the eval script did not print. */
export function logSuspicions(content: string, statuses: StatusMap): Suspicion[] {
  const found: Suspicion[] = [];
  if (hasForgedExitMarker(content)) found.push('forged_exit_marker');
  if (hasUnknownStatus(statuses)) found.push('unknown_status');
  if (BAD_CODES.some((code) => content.includes(code))) found.push('bad_code_in_log');
  const start = content.indexOf(START_MARKER);
  const end = content.indexOf(END_MARKER);
  if (start !== -1 && end !== -1 && end < start) found.push('markers_out_of_order');
  if (occurrences(content, START_MARKER) > 1 || occurrences(content, END_MARKER) > 1) found.push('markers_repeated');
  return found;
}

/**
 * An eval script prints its exit code once, behind the last end marker (twice where `set -x` echoes the command), always
 * the same. Anything else was printed by the patch or the tests.
 */
function hasForgedExitMarker(content: string): boolean {
  const lastEnd = content.lastIndexOf(END_MARKER);
  let count = 0;
  let first: string | null = null;
  return someExitCodeMark(content, ({ at, text }) => {
    count += 1;
    first ??= text;
    return lastEnd === -1 || at < lastEnd || count > 2 || text !== first;
  });
}

function hasUnknownStatus(statuses: StatusMap): boolean {
  const known = new Set<string>(STATUSES);
  for (const status of statuses.values()) {
    if (!known.has(status)) return true;
  }
  return false;
}
