import { createHash } from 'node:crypto';
import { ContractError } from '@assay/failures';
import type { BlockMarkers } from './block-markers';
import { type BlockPlace, findAnchor, findBlocks } from './find-blocks';
import { outlineOf } from './notes-outline';

/**
 * The body with `block` (inner text, lines broken by \n) between our markers.
 * - One block of ours is there: it is replaced where it stands.
 * - Several (somebody copied the notes): the first is replaced, the others go, since two results of one suite on one
 *   page would contradict each other. What stands around them stays.
 * - None: it goes below the line of another tool that shows where a result belongs (see BlockMarkers.anchors), else to the
 *   end; with one blank line between it and the text before.
 * - Where the notes end in a code fence that nobody closed, nothing below that is shown as it should be: the block goes
 *   above it, also one that stands in there already (docs/adr/0019-above-an-open-fence.md).
 * Every character outside our blocks stays as it is. Line breaks of the block follow the body's own. A block that says
 * the same already, line breaks apart, is left alone: replacing twice is the same as once.
 * @param body null: a release without notes
 * @throws ContractError `block_malformed` when the text itself holds a marker or a code fence
 */
export function replaceBlock(body: string | null, block: string, markers: BlockMarkers): string {
  refuseMalformed(block, markers);
  const text = body ?? '';
  const eol = lineBreakOf(text);
  const wanted = [markers.start, ...block.split('\n'), markers.end].join(eol);
  const places = findBlocks(text, markers);
  const rest = without(text, places);
  const [first] = places;
  if (first?.shown !== true) return inserted(rest, wanted, eol, markers);
  const standing = text.slice(first.from, first.to);
  return rest.slice(0, first.from) + (sameLines(standing, wanted) ? standing : wanted) + rest.slice(first.from);
}

function inserted(text: string, block: string, eol: string, markers: BlockMarkers): string {
  const outline = outlineOf(text, markers);
  const { lines, openFrom } = outline;
  const anchor = findAnchor(outline, markers);
  // What stands below keeps its own line break in front of it, so that taking the block out leaves the rest whole.
  if (anchor !== null) return `${text.slice(0, anchor)}${eol}${eol}${block}${text.slice(anchor)}`;
  if (openFrom === null) return `${text}${gapAfter(text, eol)}${block}`;
  const above = lines[openFrom - 1];
  if (above === undefined) return `${block}${eol}${text}`;
  const before = text.slice(0, above.to);
  return `${before}${gapAfter(before, eol)}${block}${text.slice(above.to)}`;
}

/** Everything in a body that is not ours, in order. */
export function outsideBlocks(body: string | null, markers: BlockMarkers): string {
  const text = body ?? '';
  return without(text, findBlocks(text, markers));
}

function without(text: string, places: readonly BlockPlace[]): string {
  const starts = [0, ...places.map(({ to }) => to)];
  return starts.map((from, at) => text.slice(from, places[at]?.from)).join('');
}

/**
 * sha256 of the one block of ours in a body, markers included, with line breaks as \n (a person who saves the notes on
 * GitHub's page turns all of them into \r\n). Null: there is none, more than one, or one that no reader sees as it is.
 */
export function blockDigest(body: string | null, markers: BlockMarkers): string | null {
  const text = body ?? '';
  const [only, ...others] = findBlocks(text, markers);
  if (only?.shown !== true || others.length > 0) return null;
  return createHash('sha256')
    .update(unixLines(text.slice(only.from, only.to)))
    .digest('hex');
}

function refuseMalformed(block: string, markers: BlockMarkers): void {
  const wrong = block
    .split('\n')
    .find((line) => line.trimEnd() === markers.start || line.trimEnd() === markers.end || opensFence(line));
  if (wrong === undefined && !block.includes('\r')) return;
  throw new ContractError('the block of a release must hold no marker, code fence or carriage return', {
    code: 'block_malformed',
    phase: 'publish',
    details: { line: wrong ?? null },
  });
}

/** CommonMark 4.5: three or more backticks or tildes, indented by up to three. */
function opensFence(line: string): boolean {
  return /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.test(line);
}

function lineBreakOf(text: string): '\r\n' | '\n' {
  const crlf = text.split('\r\n').length - 1;
  const all = text.split('\n').length - 1;
  return crlf * 2 > all ? '\r\n' : '\n';
}

function gapAfter(text: string, eol: string): string {
  if (text === '' || /\n\r?\n$/.test(text)) return '';
  return text.endsWith('\n') ? eol : eol + eol;
}

function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function sameLines(a: string, b: string): boolean {
  return unixLines(a) === unixLines(b);
}
