import MarkdownIt, { type StateBlock } from 'markdown-it';
import type { BlockMarkers } from './block-markers';

/** A line of the notes, as Markdown counts them: `\n`, `\r\n` and `\r` end one. Offsets in UTF-16 units. */
export interface NotesLine {
  readonly from: number;
  /** Before its line break. */
  readonly to: number;
  /** Without trailing white space. */
  readonly text: string;
}

/** What a reader sees at the top level of the notes, in lines from `first` to before `last`. */
export interface NotesPart {
  readonly kind: 'result' | 'fence' | 'html' | 'other';
  readonly first: number;
  readonly last: number;
}

/** How a release's notes are built. */
export interface NotesOutline {
  readonly lines: readonly NotesLine[];
  readonly parts: readonly NotesPart[];
  /**
   * The line of a code fence, `<pre>` or comment that nobody closed: whatever is put below it is shown as its text. Null:
   * there is none, and what is put at the end is shown as it should be.
   */
  readonly openFrom: number | null;
}

interface Env {
  readonly lines: readonly NotesLine[];
  readonly markers: BlockMarkers;
}

const RESULT = 'assay_result';

/** Put at the end of the notes to see how a line there would be shown. */
const PROBE = '<!-- the end of the notes -->';

/**
 * Reads notes as GitHub shows them (CommonMark with tables). Our blocks are parts of their own, whatever stands in them:
 * a fence that somebody opened inside of one does not reach out of it.
 */
export function outlineOf(body: string, markers: BlockMarkers): NotesOutline {
  const text = `${body}\n\n${PROBE}`;
  const lines = linesOf(text);
  const env: Env = { lines, markers };
  const parts = reader.parse(text, env).flatMap(({ type, level, map }): NotesPart[] => {
    if (level !== 0 || map === null) return [];
    return [{ kind: kindOf(type), first: map[0], last: map[1] }];
  });
  const probe = lines.length - 1;
  const around = parts.findLast(({ first, last }) => first <= probe && probe < last);
  const openFrom = around === undefined || around.first === probe ? null : around.first;
  return { lines: linesOf(body), parts: parts.filter(({ first }) => first < probe), openFrom };
}

/** The end marker of a start marker in line `start`, if the next marker of ours is one. */
export function endOf(lines: readonly NotesLine[], start: number, markers: BlockMarkers): number | null {
  for (let at = start + 1; at < lines.length; at += 1) {
    const text = lines[at]?.text;
    if (text === markers.end) return at;
    if (text === markers.start) return null;
  }
  return null;
}

const reader = newReader();

function newReader(): MarkdownIt {
  const markdown = new MarkdownIt({ html: true });
  // Only the outline is wanted: nothing inside of lines is read.
  markdown.core.ruler.enableOnly(['normalize', 'block']);
  markdown.block.ruler.before('table', RESULT, ourBlock);
  markdown.block.ruler.before('table', 'assay_open_comment', commentBeforeOurs);
  return markdown;
}

/** A pair of our markers at the first column, outside of everything else. */
function ourBlock(state: StateBlock, line: number, endLine: number): boolean {
  if (state.level !== 0) return false;
  const { lines, markers } = state.env as Env;
  if (lines[line]?.text !== markers.start) return false;
  const end = endOf(lines, line, markers);
  return end !== null && end < endLine && take(state, RESULT, line, end + 1);
}

/** A comment that nobody closed ends in the next line that holds `-->`: where that is our start marker, it ends before it. */
function commentBeforeOurs(state: StateBlock, line: number, endLine: number): boolean {
  const { lines, markers } = state.env as Env;
  const opening = lines[line]?.text ?? '';
  if (state.level !== 0 || !/^ {0,3}<!--/.test(opening) || opening.includes('-->')) return false;
  let closing = line + 1;
  while (closing < endLine && lines[closing]?.text.includes('-->') === false) closing += 1;
  if (closing >= endLine || lines[closing]?.text !== markers.start) return false;
  return endOf(lines, closing, markers) !== null && take(state, 'html_block', line, closing);
}

function take(state: StateBlock, type: string, first: number, last: number): true {
  state.push(type, '', 0).map = [first, last];
  state.line = last;
  return true;
}

function kindOf(type: string): NotesPart['kind'] {
  if (type === RESULT) return 'result';
  if (type === 'fence') return 'fence';
  return type === 'html_block' ? 'html' : 'other';
}

function linesOf(body: string): NotesLine[] {
  const breaks = [...body.matchAll(/\r\n|\r|\n/g)];
  const starts = [0, ...breaks.map((found) => found.index + found[0].length)];
  return starts.map((from, at) => {
    const to = breaks[at]?.index ?? body.length;
    return { from, to, text: body.slice(from, to).trimEnd() };
  });
}
