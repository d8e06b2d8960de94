import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './disk-failure';
import type { Content, Measured } from './held-content';
import { ifAble } from './mount-limits';

/** A file written aside this long ago belongs to a process that was killed. Milliseconds. */
const STALE_MS = 24 * 3_600_000;

/** Writes and syncs a new file, and tells what it holds. */
export async function writeSynced(file: string, content: Content): Promise<Measured> {
  return filled(await open(file, 'wx', 0o644), content);
}

/**
 * Writes and syncs a file that may be there, in place and never shorter than it was meanwhile, and tells what was
 * written. Several processes that write the same bytes so, at once, do not disturb each other.
 */
export async function writeInPlace(file: string, content: Content): Promise<Measured> {
  return filled(await open(file, constants.O_CREAT | constants.O_WRONLY, 0o644), content);
}

async function filled(handle: FileHandle, content: Content): Promise<Measured> {
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of chunks(content)) {
      hash.update(chunk);
      await writeAll(handle, chunk, size);
      size += chunk.length;
    }
    if ((await handle.stat()).size > size) await handle.truncate(size);
    // A mount that cannot sync a file writes it through, or has no way to promise more.
    await ifAble(() => handle.sync());
    return { digest: hash.digest('hex'), size };
  } finally {
    await handle.close();
  }
}

async function* chunks(content: Content): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(content)) yield content;
  else for await (const chunk of createReadStream(content.file, { highWaterMark: 1 << 20 })) yield chunk as Buffer;
}

/** A write may take a part only; on a disk that just became full, the next one says so. */
async function writeAll(handle: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let at = 0; at < chunk.length;) {
    at += (await handle.write(chunk, at, chunk.length - at, position + at)).bytesWritten;
  }
}

/** Makes the names in a folder durable, where the mount can. */
export async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await ifAble(() => handle.sync());
  } finally {
    await handle.close();
  }
}

/** Makes the folder where files are written aside, and clears it of what killed processes left there. */
export async function readyAside(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const name of await readdir(dir)) {
    const file = join(dir, name);
    const age = await stat(file).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      (error: unknown) => {
        if (isMissing(error)) return 0;
        throw error;
      },
    );
    if (age > STALE_MS) await rm(file, { force: true });
  }
}

/**
 * Removes what was written aside, if it is still there. A disk that refuses even that has made the write fail already,
 * and that is the error to be told; the next start clears the rest.
 */
export async function discard(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}
