import { Blame } from '@assay/contracts';
import { expectFresh } from '@assay/testing';
import { FAILURE_CODES, type FailureEntry } from '../index';
import { errorsMarkdown } from './errors';

const page = errorsMarkdown();
const entries = Object.entries<FailureEntry>(FAILURE_CODES);

test('docs/errors.md is what the table says now', () => {
  expectFresh('docs/errors.md', page);
});

test('every code stands once under each of its blames, and under no other', () => {
  const chapters = page.split('\n## ').slice(1);
  expect(chapters).toHaveLength(Blame.options.length);
  for (const [index, blame] of Blame.options.entries()) {
    const listed = [...(chapters[index] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    const wanted = entries.filter(([, entry]) => entry.blame.includes(blame)).map(([code]) => code);
    expect(listed).toEqual(wanted.sort());
  }
});

test.each([
  ['disk_full', 'yes', 1],
  ['agent_crashed', 'no', 1],
  ['tests_timed_out', 'once', 1],
  ['patch_apply_failed', 'yes', 2],
  ['patch_apply_failed', 'no', 2],
])('%s: tried again: %s', (code, answer, rows) => {
  const found = page.split('\n').filter((line) => line.startsWith(`| \`${code}\` |`));
  expect(found).toHaveLength(rows);
  expect(found.filter((line) => line.split(' | ')[2] === answer)).toHaveLength(1);
});

test('each code fits the schema of a failure, and each sentence is one that a table can hold', () => {
  for (const [code, { blame, meaning, operator }] of entries) {
    expect(code).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    expect(new Set(blame).size).toBe(blame.length);
    for (const sentence of [meaning, operator]) expect(sentence).toMatch(/^[A-Za-z][^|\n]+\.$/);
  }
});
