import type { BlockMarkers } from './block-markers';

/** Where one block stands in a body: from its start marker to the end of its end marker, in UTF-16 units. */
export interface BlockPlace {
  readonly from: number;
  readonly to: number;
}

interface Line {
  readonly from: number;
  /** Without its line break and trailing white space. */
  readonly text: string;
}

/**
 * Finds our blocks in a release body. What counts:
 * - a marker stands alone in its line, from the first column on; white space behind it is allowed, and is not ours;
 * - a start marker belongs to the next marker of ours, if that is an end marker. Else it is somebody's text, as is an end
 *   marker without a start: an unpaired marker never makes a block, so it can never take a person's words with it;
 * - marker lines inside a fenced code block are text too, if the fence is closed. (An open fence runs to the end of the
 *   page, over everything that anybody appends; if it hid our block, every write would append another one.)
 */
export function findBlocks(body: string, { start, end }: BlockMarkers): BlockPlace[] {
  const lines = linesOf(body);
  const closable = closableFences(lines);
  const blocks: BlockPlace[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const { from, text } = lines[at] ?? { from: 0, text: '' };
    if (text === start) {
      const other = indexFrom(lines, at + 1, (line) => line === start || line === end);
      const last = lines[other];
      if (last?.text !== end) continue;
      blocks.push({ from, to: last.from + end.length });
      at = other;
      continue;
    }
    const fence = openingFence(text);
    if (fence !== null && closable(at, fence)) at = indexFrom(lines, at + 1, (line) => closes(line, fence));
  }
  return blocks;
}

/** Where the first of these lines ends that stands alone, outside fenced code and our blocks; null: none does. */
export function findAnchor(body: string, { anchors, ...markers }: BlockMarkers): number | null {
  const lines = linesOf(body);
  const closable = closableFences(lines);
  const inside = findBlocks(body, { anchors, ...markers });
  for (let at = 0; at < lines.length; at += 1) {
    const { from, text } = lines[at] ?? { from: 0, text: '' };
    if (anchors.includes(text) && !inside.some((block) => from >= block.from && from < block.to)) {
      return from + text.length;
    }
    const fence = openingFence(text);
    if (fence !== null && closable(at, fence)) at = indexFrom(lines, at + 1, (line) => closes(line, fence));
  }
  return null;
}

/** True for a line that opens a fenced code block (CommonMark 4.5: three or more backticks or tildes, indented by up to 3). */
export function opensFence(line: string): boolean {
  return openingFence(line.trimEnd()) !== null;
}

function linesOf(body: string): Line[] {
  let from = 0;
  return body.split('\n').map((text) => {
    const line = { from, text: text.trimEnd() };
    from += text.length + 1;
    return line;
  });
}

function indexFrom(lines: readonly Line[], from: number, matches: (text: string) => boolean): number {
  for (let at = from; at < lines.length; at += 1) {
    if (matches(lines[at]?.text ?? '')) return at;
  }
  return -1;
}

function openingFence(text: string): string | null {
  const match = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(text);
  return match?.[1] ?? null;
}

function closingFence(text: string): string | null {
  return /^ {0,3}(`{3,}|~{3,})$/.exec(text)?.[1] ?? null;
}

function closes(text: string, fence: string): boolean {
  return closingFence(text)?.startsWith(fence) === true;
}

/** Answers whether a fence opened in line `at` is ever closed, in constant time: notes may be long and full of fences. */
function closableFences(lines: readonly Line[]): (at: number, fence: string) => boolean {
  const longest: { '`': number; '~': number }[] = [];
  let after = { '`': 0, '~': 0 };
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    longest[at] = after;
    const fence = closingFence(lines[at]?.text ?? '');
    if (fence === null) continue;
    const kind = fence.startsWith('~') ? '~' : '`';
    after = { ...after, [kind]: Math.max(after[kind], fence.length) };
  }
  return (at, fence) => fence.length <= (longest[at]?.[fence.startsWith('~') ? '~' : '`'] ?? 0);
}
