import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Measured, verify, type Wanted } from './held-content';
import { discard } from './synced-file';

/**
 * A file of the host that appears whole or not at all: `write` fills one beside it, what it measured is held against
 * what is wanted, and a rename gives it its name. Rejects with what `write` or the disk says, with nothing left.
 */
export async function appearWhole(
  file: string,
  ref: Wanted,
  write: (aside: string) => Promise<Measured>,
): Promise<void> {
  const aside = join(dirname(resolve(file)), `.${basename(file)}.${randomUUID()}`);
  try {
    verify(ref, await write(aside));
    await rename(aside, file);
  } finally {
    await discard(aside);
  }
}
