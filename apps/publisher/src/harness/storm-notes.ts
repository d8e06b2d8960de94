import type { BlockMarkers } from '@assay/github';
import { outsideBlocks } from '@assay/github';

/** Notes as releases have them, hard ones among them. Each is written to by several suites. */
export const NOTES: readonly (string | null)[] = [
  null,
  '',
  "## What's Changed\n\n- Faster\n",
  'One line without an end',
  '## CRLF\r\n\r\n- a  \r\n- b\t\r\n',
  'Top\n<!-- qwen-code-benchmark -->\nText after the single marker\n',
  '<!-- assay:assay:swe:end -->\nAn end without a start\n<!-- assay:assay:swe:start -->\nwords\n',
  '```\n<!-- assay:assay:demo:start -->\nan example\n<!-- assay:assay:demo:end -->\n```\n',
  '<!-- qwen-code-benchmark:start -->\nforeign\n<!-- qwen-code-benchmark:end -->\n',
  'Benchmark-Qwen-Ref: v0.21.14   \r\n',
  `${'n'.repeat(116_999)}\n`,
  'An open fence\n```\ncode\n',
];

/** What stands in notes beside the blocks of all these suites. */
export function outsideAll(body: string | null, suites: readonly BlockMarkers[]): string {
  return suites.reduce((text, markers) => outsideBlocks(text, markers), body ?? '');
}

/**
 * The lines that are not empty, as they are, white space included. A block that is put in brings at most two line breaks with
 * it (of the form that the notes have), so nothing else may differ.
 */
export function wordsOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}
