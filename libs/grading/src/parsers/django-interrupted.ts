import { isSpace } from '../text/python-space';
import { endsLine, lineStart } from '../text/lines';

/** Finds where a match that starts with a head (its message ends at `from`) ends, or null. */
type Tail = (log: string, from: number) => number | null;

/**
 * Tests whose outcome `ok` was parted from them by one of three messages of Django. The harness uses regular expressions
 * (`^(.*?)\s\.\.\.\sMESSAGE…\nok$`) whose cost is quadratic in the log; this walks the log once for each.
 */
export function interruptedTests(log: string): string[] {
  return [
    ...testsBefore('Testing against Django installed in ', log, afterSilenced()),
    ...testsBefore('Internal Server Error: /', log, afterPath()),
    ...testsBefore('System check identified no issues (0 silenced)', log, afterOk),
  ];
}

function testsBefore(message: string, log: string, tail: Tail): string[] {
  const tests: string[] = [];
  let free = 0;
  for (let at = log.indexOf(message); at !== -1; at = log.indexOf(message, at + 1)) {
    const dots = at - 5;
    if (dots < 0 || !isHead(log, dots)) continue;
    const end = tail(log, at + message.length);
    if (end === null) continue;
    const start = lineStart(log, dots);
    if (start < free) continue;
    tests.push(log.slice(start, dots));
    free = end;
    at = end - 1;
  }
  return tests;
}

/** `\s\.\.\.\s` at `at`; either white space may be a line's end. */
function isHead(log: string, at: number): boolean {
  return isSpace(log.charCodeAt(at)) && log.startsWith('...', at + 1) && isSpace(log.charCodeAt(at + 4));
}

function afterOk(log: string, from: number): number | null {
  return log.startsWith('\nok', from) && endsLine(log, from + 3) ? from + 3 : null;
}

/** `(?s:.*?)\ silenced\)\.\nok$`: the next such line end, however far; remembered, so that no text is read twice. */
function afterSilenced(): Tail {
  const text = ' silenced).\nok';
  let found = -1;
  return (log, from) => {
    if (found === Infinity || found >= from) return found === Infinity ? null : found + text.length;
    found = from - 1;
    do found = log.indexOf(text, found + 1);
    while (found !== -1 && !endsLine(log, found + text.length));
    if (found !== -1) return found + text.length;
    found = Infinity;
    return null;
  };
}

/** `(.*)\/\nok$`: the rest of the line ends with a slash of its own, and the next line is `ok`. */
function afterPath(): Tail {
  let lineEnd = -1;
  return (log, from) => {
    if (lineEnd < from) {
      const newline = log.indexOf('\n', from);
      lineEnd = newline === -1 ? log.length : newline;
    }
    return lineEnd > from && log[lineEnd - 1] === '/' ? afterOk(log, lineEnd) : null;
  };
}
