import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ExitError, UsageError } from '../output';
import { requireFolderPlace } from '../path-option';

/**
 * A folder that is there whole or not at all: it is written beside its place, with the checksum of every file, and moved
 * into it at the end.
 */
export class BundleFolder {
  private readonly sums = new Map<string, string>();

  private constructor(
    private readonly dir: string,
    private readonly place: string,
  ) {}

  /** @throws UsageError where something has the place already */
  static async at(place: string): Promise<BundleFolder> {
    if (await exists(place)) throw new UsageError(`--out: ${place} is there already, and nothing is overwritten`);
    requireFolderPlace('--out', place);
    const dir = `${place}.partial`;
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return new BundleFolder(dir, place);
  }

  json(file: string, value: unknown): Promise<void> {
    return this.stream(file, Readable.from([`${JSON.stringify(value, null, 2)}\n`]));
  }

  /**
   * @param file path within the folder
   * @param expected the content's sha256; null: whatever it is
   * @throws ExitError where the content is another
   */
  async stream(file: string, content: Readable, expected: string | null = null): Promise<void> {
    const path = join(this.dir, file);
    await mkdir(dirname(path), { recursive: true });
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    await pipeline(content, hashing, createWriteStream(path, { mode: 0o600 }));
    const digest = hash.digest('hex');
    if (expected !== null && digest !== expected) {
      throw new ExitError(1, `${file}: the server sent content with the sha256 ${digest}, expected ${expected}`);
    }
    this.sums.set(file, digest);
  }

  /** Writes checksums.sha256 (for `sha256sum -c`), and puts the folder into its place. Returns how many files it has. */
  async finish(): Promise<number> {
    const lines = [...this.sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, sum]) => `${sum}  ${file}\n`);
    await writeFile(join(this.dir, 'checksums.sha256'), lines.join(''), { mode: 0o600 });
    await rename(this.dir, this.place);
    return this.sums.size;
  }

  /** Leaves nothing. */
  async drop(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
