/** Lines that are shown unchanged on each side of a change. */
const CONTEXT = 3;
const NO_NEWLINE = '\\ No newline at end of file';

/**
 * The difference between two texts in the unified format (as `diff -u`, `git apply` and `patch` read it), in one hunk from
 * the first changed line to the last. Empty where there is none. A line ends at \n; a \r before it belongs to the line.
 */
export function unifiedDiff(before: string, after: string, name: string): string {
  if (before === after) return '';
  const [old, next] = [linesOf(before), linesOf(after)];
  const head = sharedLength(old, next);
  const tail = sharedLength(old.slice(head).reverse(), next.slice(head).reverse());
  const from = Math.max(0, head - CONTEXT);
  const shownTail = Math.min(tail, CONTEXT);
  const leading = old.slice(from, head).map((line) => shown(' ', line));
  const removed = old.slice(head, old.length - tail).map((line) => shown('-', line));
  const added = next.slice(head, next.length - tail).map((line) => shown('+', line));
  const trailing = old.slice(old.length - tail, old.length - tail + shownTail).map((line) => shown(' ', line));
  const count = leading.length + trailing.length;
  const ranges = `-${range(from, count + removed.length)} +${range(from, count + added.length)}`;
  return [`--- ${name}\n`, `+++ ${name}\n`, `@@ ${ranges} @@\n`, ...leading, ...removed, ...added, ...trailing].join(
    '',
  );
}

/** Lines with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function shown(sign: ' ' | '-' | '+', line: string): string {
  return line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n${NO_NEWLINE}\n`;
}

function sharedLength(a: readonly string[], b: readonly string[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

/** `start,count`, counted from 1; an empty range stands after the line before it. */
function range(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`;
}
