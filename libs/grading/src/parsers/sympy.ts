import type { StatusMap } from '../status';
import { eachLine, lineEnd, lineStart } from '../text/lines';
import { firstWords, spacesEnd, stripEnd } from '../text/python-space';

const ENDINGS = [
  [' E', 'ERROR'],
  [' F', 'FAILED'],
  [' ok', 'PASSED'],
] as const;

/** sympy's own runner: headings of failures first, then `test_name ok`, `F` or `E`. */
export function parseSympy(log: string): StatusMap {
  const map: StatusMap = new Map();
  for (const heading of failureHeadings(log)) map.set(heading, 'FAILED');
  eachLine(log, (lineFrom, lineTo) => {
    const start = spacesEnd(log, lineFrom, lineTo);
    if (log[start] !== 't' || !log.startsWith('test_', start)) return;
    const line = log.slice(start, stripEnd(log, start, lineTo));
    // No line ends in two ways.
    const status = ENDINGS.find(([ending]) => line.endsWith(ending))?.[1];
    const [test] = status === undefined ? [] : firstWords(line);
    if (status !== undefined && test !== undefined) map.set(test, status);
  });
  return map;
}

const EXTENSION = '.py:';

/**
 * Groups 2 and 3 of every match of the harness's `(_*) (.*)\.py:(.*) (_*)`, joined by `.py:`. The expression finds at
 * most one match a line: from the first space to the last, around the last `.py:` between them.
 */
function* failureHeadings(log: string): Generator<string> {
  let end = 0;
  for (let at = log.indexOf(EXTENSION); at !== -1; at = log.indexOf(EXTENSION, end)) {
    const start = lineStart(log, at);
    end = lineEnd(log, at);
    const line = log.slice(start, end);
    const first = line.indexOf(' ');
    const last = line.lastIndexOf(' ');
    if (first !== -1 && last >= EXTENSION.length && line.lastIndexOf(EXTENSION, last - EXTENSION.length) > first) {
      yield line.slice(first + 1, last);
    }
  }
}
