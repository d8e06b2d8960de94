/** Printed by an eval script's `: '…'` lines, which `set -x` echoes: the parsed part lies between them. */
export const START_MARKER = '>>>>> Start Test Output';
export const END_MARKER = '>>>>> End Test Output';

/** Printed by the line that `prepareEvalScript` adds after the end marker. */
export const EXIT_CODE_MARKER = '>>>>> Test Exit Code';

/** Any of these anywhere in a log makes the harness drop the whole of it. */
export const BAD_CODES = [
  '>>>>> Patch Apply Failed',
  '>>>>> Reset Failed',
  '>>>>> Tests Errored',
  '>>>>> Tests Timed Out',
] as const;

/** Between the first start marker and the next end or start marker; null unless both markers occur, in any order. */
export function betweenMarkers(content: string): string | null {
  const start = content.indexOf(START_MARKER);
  if (start === -1 || !content.includes(END_MARKER)) return null;
  const from = start + START_MARKER.length;
  const stops = [content.indexOf(START_MARKER, from), content.indexOf(END_MARKER, from)].filter((at) => at !== -1);
  return content.slice(from, Math.min(content.length, ...stops));
}

/** How often `marker` stands in `content`, without overlaps. */
export function occurrences(content: string, marker: string): number {
  let count = 0;
  for (let at = content.indexOf(marker); at !== -1; at = content.indexOf(marker, at + marker.length)) count += 1;
  return count;
}
