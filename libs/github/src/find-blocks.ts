import type { BlockMarkers } from './block-markers';
import { endOf, type NotesOutline, outlineOf } from './notes-outline';

/** Where one block stands in a body: from its start marker to the end of its end marker, in UTF-16 units. */
export interface BlockPlace {
  readonly from: number;
  readonly to: number;
  /** False: it stands in a code fence (or the like) that nobody closed, so a reader sees its Markdown raw. */
  readonly shown: boolean;
}

/**
 * Finds our blocks in a release body. What counts:
 * - a marker stands alone in its line, from the first column on; white space behind it is allowed, and is not ours;
 * - a start marker belongs to the next marker of ours, if that is an end marker. Else it is somebody's text, as is an end
 *   marker without a start: an unpaired marker never makes a block, so it can never take a person's words with it;
 * - marker lines inside a closed code fence (also one of a list or a quote: CommonMark 4.5, 5.1 and 5.2), a `<pre>` or a
 *   comment are text too. What nobody closed runs to the end of the page, over everything that anybody appends: our
 *   block in there is found, and is not shown.
 */
export function findBlocks(body: string, markers: BlockMarkers): BlockPlace[] {
  return blocksIn(outlineOf(body, markers), markers);
}

/** As `findBlocks`, of notes whose outline is known. */
export function blocksIn({ lines, parts, openFrom }: NotesOutline, markers: BlockMarkers): BlockPlace[] {
  const place = (first: number, last: number, shown: boolean): BlockPlace => ({
    from: lines[first]?.from ?? 0,
    to: (lines[last]?.from ?? 0) + markers.end.length,
    shown,
  });
  const found = parts.filter(({ kind }) => kind === 'result').map(({ first, last }) => place(first, last - 1, true));
  for (let at = openFrom ?? lines.length; at < lines.length; at += 1) {
    const end = lines[at]?.text === markers.start ? endOf(lines, at, markers) : null;
    if (end === null) continue;
    found.push(place(at, end, false));
    at = end;
  }
  return found;
}

/** Where the first of these lines ends that stands alone, outside of code, of other markup and of our blocks; null: none does. */
export function findAnchor({ lines, parts }: NotesOutline, { anchors }: BlockMarkers): number | null {
  for (const [at, { from, text }] of lines.entries()) {
    if (!anchors.includes(text)) continue;
    const around = parts.findLast(({ first, last }) => first <= at && at < last);
    const isItsOwn = around?.first === at || around?.last === at + 1;
    if (around?.kind === 'fence' || around?.kind === 'result' || (around?.kind === 'html' && !isItsOwn)) continue;
    return from + text.length;
  }
  return null;
}
