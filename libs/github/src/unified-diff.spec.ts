import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { unifiedDiff } from './index';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-diff-'));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

/** What git makes of `before` by the difference. */
function applied(before: string, difference: string): string {
  writeFileSync(join(dir, 'notes'), before);
  if (difference === '') return before;
  const options = {
    cwd: dir,
    input: difference,
    env: { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: tmpdir() },
  };
  execFileSync('git', ['apply', '--unidiff-zero', '--whitespace=nowarn', '-p0', '-'], options);
  return readFileSync(join(dir, 'notes'), 'utf8');
}

test('shows what goes and what comes, with three lines around it', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
  expect(unifiedDiff(before, before.replace('e\n', 'E\nEE\n'), 'notes')).toBe(
    '--- notes\n+++ notes\n@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+EE\n f\n g\n h\n',
  );
});

test('of equal texts is empty', () => {
  expect(unifiedDiff('a\r\n', 'a\r\n', 'notes')).toBe('');
});

test.each([
  ['a block at the end of notes without a last line break', 'one\ntwo', 'one\ntwo\n\nblock'],
  ['a block in empty notes', '', 'block\n'],
  ['line breaks of the web page', 'one\r\ntwo\r\n', 'one\r\ntwo\r\n\r\nblock\r\n'],
  ['another block in the place of one', 'a\nold\nold\nb\n', 'a\nnew\nb\n'],
  ['the second of two that goes', 'x\nb\ny\nb\nz\n', 'x\nc\ny\nz\n'],
  ['notes that end in a line break no more', 'a\n', 'a'],
])('git makes the one text of the other by it: %s', (_name, before, after) => {
  expect(applied(before, unifiedDiff(before, after, 'notes'))).toBe(after);
});

test('whatever the texts are', () => {
  const text = fc.array(fc.constantFrom('a\n', 'b\n', '\n', 'c\r\n', 'd')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(after !== '' && before !== ''); // git deletes a file that becomes empty, and does not apply to an empty one
      expect(applied(before, unifiedDiff(before, after, 'notes'))).toBe(after);
    }),
    { numRuns: 60 },
  );
});
