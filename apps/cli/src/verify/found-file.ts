import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { FoundFile } from '@assay/evidence';
import { pathTrouble } from '../path-option';

/** GitHub takes no larger file on a release (https://docs.github.com/en/repositories/releasing-projects-on-github/about-releases). Bytes. */
const LARGEST_FILE = 2 * 1024 ** 3;

/** A result of a suite of some thousand instances is a hundredth of it. Bytes. */
const LARGEST_TEXT = 64 * 1024 ** 2;

/** The text of a file, or why it is none that is read. */
export type FoundText = { readonly text: string } | { readonly trouble: string };

/** A file of a folder with its sha256, read as a stream. What is no regular file is not read at all: it may never end. */
export async function foundFile(path: string, name: string): Promise<FoundFile> {
  const found = await opened(path, LARGEST_FILE, async (file, size) => {
    const hash = createHash('sha256');
    // No more than it had when it was looked at: a file that grows would not end.
    if (size > 0) {
      const stream = file.createReadStream({ autoClose: false, start: 0, end: size - 1 });
      for await (const chunk of stream) hash.update(chunk as Buffer);
    }
    return { sha256: hash.digest('hex') };
  });
  return { name, ...found };
}

export function foundText(path: string): Promise<FoundText> {
  return opened(path, LARGEST_TEXT, async (file) => ({ text: await file.readFile('utf8') }));
}

async function opened<T>(
  path: string,
  largest: number,
  read: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | { readonly trouble: string }> {
  try {
    // Without O_NONBLOCK the opening of a pipe waits for somebody who writes.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) return { trouble: 'is a folder: expected a file' };
      if (!stats.isFile()) return { trouble: 'is a pipe, device or socket: expected a file' };
      if (stats.size > largest) return { trouble: `has ${stats.size} bytes: expected at most ${largest}` };
      return await read(file, stats.size);
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return { trouble: pathTrouble(error) };
  }
}
