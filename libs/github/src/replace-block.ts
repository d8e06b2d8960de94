import { createHash } from 'node:crypto';
import { ContractError } from '@assay/failures';
import type { BlockMarkers } from './block-markers';
import { findAnchor, findBlocks, opensFence } from './find-blocks';

/**
 * The body with `block` (inner text, lines broken by \n) between our markers.
 * - One block of ours is there: it is replaced where it stands.
 * - Several (somebody copied the notes): the first is replaced, the others go, since two results of one suite on one
 *   page would contradict each other. What stands around them stays.
 * - None: it goes below the line of another tool that shows where a result belongs (see BlockMarkers.anchors), else to the
 *   end; with one blank line between it and the text before.
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
  const [first, ...others] = places;
  if (first === undefined) return inserted(text, wanted, eol, markers);
  const standing = text.slice(first.from, first.to);
  let result = text.slice(0, first.from) + (sameLines(standing, wanted) ? standing : wanted);
  let from = first.to;
  for (const { from: other, to } of others) {
    result += text.slice(from, other);
    from = to;
  }
  return result + text.slice(from);
}

/** What stands after an anchor keeps its own line break in front of it, so that taking the block out leaves the rest whole. */
function inserted(text: string, block: string, eol: string, markers: BlockMarkers): string {
  const anchor = findAnchor(text, markers);
  if (anchor === null) return `${text}${gapAfter(text, eol)}${block}`;
  return `${text.slice(0, anchor)}${eol}${eol}${block}${text.slice(anchor)}`;
}

/** Everything in a body that is not ours, in order. */
export function outsideBlocks(body: string | null, markers: BlockMarkers): string {
  const text = body ?? '';
  const places = findBlocks(text, markers);
  const starts = [0, ...places.map(({ to }) => to)];
  return starts.map((from, at) => text.slice(from, places[at]?.from)).join('');
}

/**
 * sha256 of the one block of ours in a body, markers included, with line breaks as \n (a person who saves the notes on
 * GitHub's page turns all of them into \r\n). Null: there is none, or more than one.
 */
export function blockDigest(body: string | null, markers: BlockMarkers): string | null {
  const text = body ?? '';
  const [only, ...others] = findBlocks(text, markers);
  if (only === undefined || others.length > 0) return null;
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
