import { open, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { UsageError } from '../../../output';
import { requireWritable } from '../../../path-option';
import { STANDARD } from './open-input';

/**
 * Opens (and empties) the output before anything is read.
 * @throws UsageError when it cannot be written, or is the input
 */
export async function openOutput(path: string, inputPath: string): Promise<Writable> {
  if (path === STANDARD) return process.stdout;
  if (await isSameFile(path, inputPath)) {
    throw new UsageError(`--out: expected another file than --in, got ${path} for both`);
  }
  requireWritable('--out', path);
  return (await open(path, 'w')).createWriteStream();
}

/** True also where the two are links to one file. A pipe or device may be both. */
async function isSameFile(path: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(path).catch(() => null), stat(other).catch(() => null)]);
  return a !== null && b !== null && a.isFile() && a.dev === b.dev && a.ino === b.ino;
}
