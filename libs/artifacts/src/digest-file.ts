import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK = 1 << 20;

/**
 * The sha256 and size of a file's content, read in chunks of at most 1 MiB into one buffer; rejects with the system's
 * error. A file of the size that is expected takes one read: one byte more is asked for, and a short read is the end.
 */
export async function digestFile(file: string, expectedSize: number): Promise<{ digest: string; size: number }> {
  const handle = await open(file, 'r');
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, expectedSize + 1));
    let size = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      hash.update(buffer.subarray(0, bytesRead));
      size += bytesRead;
      if (bytesRead < buffer.length) return { digest: hash.digest('hex'), size };
    }
  } finally {
    await handle.close();
  }
}
