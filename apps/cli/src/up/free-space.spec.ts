import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExitError } from '../output';
import { requireSpace } from './free-space';

const dir = join(tmpdir(), 'assay-not-there/state');
const free = (): number => {
  const { bavail, bsize } = statfsSync(tmpdir());
  return Math.floor((bavail * bsize) / 2 ** 20);
};

test('a folder whose file system has room is fine, also before it is made', () => {
  expect(() => {
    requireSpace(dir, 1);
  }).not.toThrow();
});

test('one without is refused in one line: the folder, what is free and what is needed', () => {
  const needed = free() + 1_000_000;
  let refused: unknown;
  try {
    requireSpace(dir, needed);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(ExitError);
  const { code, message } = refused as ExitError;
  expect(code).toBe(1);
  expect(message).toMatch(
    new RegExp(
      `^the disk is too full: ${dir} has \\d+ MiB free, and at least ${needed} MiB are needed; [^\\n]*--state-dir$`,
    ),
  );
});
