import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK = 1 << 20;

/** The sha256 of a file's content, read in chunks of at most 1 MiB into one buffer; rejects with the system's error. */
export async function digestFile(file: string, size: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const hash = createHash('sha256');
    // One byte more than is expected tells a file that has grown.
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, size + 1));
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
