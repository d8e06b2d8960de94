import { Namespace, type RunResult } from '@assay/contracts';
import { blockMarkers } from './block-markers';
import { findBlocks } from './find-blocks';
import { renderBlock, renderShortBlock } from './render-block';

/** A line that names a file of the publication. Which files there are, their signed statement says. */
const FILE_LINE = /^- [^:]+: \[assay-[^\]]+\]\([^)]+\)$/;
/** The short form has the first file's line in place of the run's. */
const ANY_FILE = { title: 'File', name: 'assay-file', url: 'https://example.com/' };

/**
 * Where the blocks of the result's suite in a release's notes say something else than the result, in sentences; none where
 * they say it whole, or in the short form for notes without room. Blocks of any deployment count: a reader cannot tell
 * them apart.
 */
export function blockDifferences(notes: string, result: RunResult): string[] {
  const blocks = blocksOf(notes, result.suite);
  if (blocks.length === 0) return [`the notes have no block of the suite ${result.suite}`];
  const whole = renderBlock(result, []);
  const forms = [whole, renderShortBlock(result, []), renderShortBlock(result, [ANY_FILE])];
  return blocks.flatMap((block) =>
    forms.some((form) => between(form, block).length === 0) ? [] : between(whole, block),
  );
}

function blocksOf(notes: string, suite: string): string[] {
  const names = [...notes.matchAll(/<!-- assay:([^:\s]+):([^:\s]+):start -->/g)]
    .filter(([, , named]) => named === suite)
    .flatMap(([, namespace]) => Namespace.safeParse(namespace).data ?? []);
  return [...new Set(names)].flatMap((namespace) =>
    findBlocks(notes, blockMarkers(namespace, suite)).map(({ from, to }) => notes.slice(from, to)),
  );
}

/** Lines that are missing in the block, and lines that do not belong there; its markers apart. */
function between(rendered: string, block: string): string[] {
  const wanted = linesOf(rendered);
  const found = linesOf(block).slice(1, -1);
  const missing = wanted.filter((line) => !found.includes(line) && !FILE_LINE.test(line));
  const added = found.filter((line) => !wanted.includes(line) && !FILE_LINE.test(line));
  return [
    ...missing.map((line) => `the block on the release does not say what the result says: ${line}`),
    ...added.map((line) => `the block on the release says what the result does not say: ${line}`),
  ];
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}
