import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Digest } from '@assay/contracts';
import { type Pack, pack } from 'tar-stream';

/** What a finished archive is. */
export interface WrittenArchive {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  readonly digest: Digest;
}

/**
 * Writes a .tar.gz straight to a file, entry by entry: memory holds one entry. The same entries in the same order are the
 * same bytes: no times, no owners, one mode.
 */
export class ArchiveWriter {
  private readonly tar: Pack = pack();
  private readonly hash = createHash('sha256');
  private readonly written: Promise<void>;
  private size = 0;
  private plain = 0;

  constructor(private readonly file: string) {
    const meter = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.hash.update(chunk);
        this.size += chunk.length;
        done(null, chunk);
      },
    });
    const out = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    this.written = pipeline(this.tar, createGzip({ level: 9 }), meter, out);
    // Told by `add` and `finish`; without this a failure between the two would end the process.
    this.written.catch(() => undefined);
  }

  /** Bytes of all entries so far, before they are compressed. */
  get plainSize(): number {
    return this.plain;
  }

  /** Rejects with what keeps the file from being written. */
  async add(name: string, content: Buffer): Promise<void> {
    this.plain += content.length;
    const header = { name, size: content.length, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 };
    const taken = new Promise<void>((resolve, reject) => {
      this.tar.entry(header, content, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    await Promise.race([taken, this.written]);
  }

  async finish(): Promise<WrittenArchive> {
    this.tar.finalize();
    await this.written;
    return { file: this.file, size: this.size, digest: Digest.parse(this.hash.digest('hex')) };
  }
}
