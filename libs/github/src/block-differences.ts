import { Namespace, type RunResult } from '@assay/contracts';
import { blockMarkers } from './block-markers';
import { findBlocks } from './find-blocks';
import { markdownText } from './markdown-text';
import { type BlockLink, linkTo, renderBlock, renderShortBlock } from './render-block';

/** How the publisher names its files in Markdown; a part of several is told by its number. */
const TITLES: ReadonlySet<string> = new Set(
  [
    'Every instance',
    'As a file',
    'Signed statement',
    'What each case did',
    ...Array.from({ length: 99 }, (_, at) => at + 1).flatMap((of) =>
      Array.from({ length: of }, (_, part) => `What each case did, part ${part + 1} of ${of}`),
    ),
  ].map(markdownText),
);

/** A file of the release: its name, and the address at which GitHub gives it out. */
export type ReleaseFile = Pick<BlockLink, 'name' | 'url'>;

/**
 * Where the blocks of the result's suite in a release's notes say something else than the result, in sentences; none where
 * they say it whole, or in the short form for notes without room. Blocks of any deployment count: a reader cannot tell
 * them apart. A line that names a file must be just as the publisher writes it, with the file's own address.
 * @param files those of the release that a statement signs, and the statements
 */
export function blockDifferences(notes: string, result: RunResult, files: readonly ReleaseFile[]): string[] {
  const blocks = blocksOf(notes, result.suite);
  if (blocks.length === 0) return [`the notes have no block of the suite ${result.suite}`];
  const links = new Set(files.map(({ name, url }) => linkTo(name, url)));
  const whole = renderBlock(result, []);
  const forms = [whole, renderShortBlock(result, []), shortWithFile(result)];
  return blocks.flatMap((block) =>
    forms.some((form) => between(form, block, links).length === 0) ? [] : between(whole, block, links),
  );
}

/** Suites that the notes have a block of. */
export function blockSuites(notes: string): string[] {
  const named = [...notes.matchAll(/<!-- assay:[^:\s]+:([^:\s]+):start -->/g)].flatMap(([, suite]) => suite ?? []);
  return [...new Set(named)].filter((suite) => blocksOf(notes, suite).length > 0);
}

function blocksOf(notes: string, suite: string): string[] {
  const names = [...notes.matchAll(/<!-- assay:([^:\s]+):([^:\s]+):start -->/g)]
    .filter(([, , named]) => named === suite)
    .flatMap(([, namespace]) => Namespace.safeParse(namespace).data ?? []);
  return [...new Set(names)].flatMap((namespace) =>
    findBlocks(notes, blockMarkers(namespace, suite)).map(({ from, to }) => notes.slice(from, to)),
  );
}

const ANY_FILE = { title: 'File', name: 'assay-file', url: 'https://example.com/' };

/** The short form has the first file's line in place of the run's. */
function shortWithFile(result: RunResult): string {
  return linesOf(renderShortBlock(result, [ANY_FILE]))
    .slice(0, -1)
    .join('\n');
}

/** `- TITLE: [NAME](URL)`, of a file that there is. */
function isFileLine(line: string, links: ReadonlySet<string>): boolean {
  const at = line.indexOf(': [');
  return line.startsWith('- ') && TITLES.has(line.slice(2, at)) && links.has(line.slice(at + 2));
}

/** Lines that are missing in the block, and lines that do not belong there; its markers apart. */
function between(rendered: string, block: string, links: ReadonlySet<string>): string[] {
  const wanted = linesOf(rendered);
  const found = linesOf(block).slice(1, -1);
  const missing = wanted.filter((line) => !found.includes(line));
  const added = found.filter((line) => !wanted.includes(line) && !isFileLine(line, links));
  return [
    ...missing.map((line) => `the block on the release does not say what the result says: ${line}`),
    ...added.map((line) => `the block on the release says what the result does not say: ${line}`),
  ];
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}
