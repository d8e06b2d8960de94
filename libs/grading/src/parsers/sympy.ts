import type { StatusMap } from '../status';
import { eachLine } from '../text/lines';
import { firstWords, strip } from '../text/python-space';

const ENDINGS = [
  [' E', 'ERROR'],
  [' F', 'FAILED'],
  [' ok', 'PASSED'],
] as const;

/** sympy's own runner: headings of failures first, then `test_name ok`, `F` or `E`. */
export function parseSympy(log: string): StatusMap {
  const map: StatusMap = new Map();
  eachLine(log, (start, end) => {
    const heading = failureHeading(log.slice(start, end));
    if (heading !== null) map.set(heading, 'FAILED');
  });
  eachLine(log, (start, end) => {
    const line = strip(log.slice(start, end));
    if (!line.startsWith('test_')) return;
    for (const [ending, status] of ENDINGS) {
      const [test] = firstWords(line);
      if (line.endsWith(ending) && test !== undefined) map.set(test, status);
    }
  });
  return map;
}

/**
 * Groups 2 and 3 of the harness's `(_*) (.*)\.py:(.*) (_*)`, joined by `.py:`; null when a line has no match. The
 * expression finds at most one match a line: from the first space to the last, around the last `.py:` between them.
 */
function failureHeading(line: string): string | null {
  if (!line.includes('.py:')) return null;
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  const extension = last < 4 ? -1 : line.lastIndexOf('.py:', last - 4);
  if (first === -1 || extension <= first) return null;
  return line.slice(first + 1, last);
}
