import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNK = 64 * 1024;

/**
 * A body on its way, kept on disk so that memory does not grow with it. The file has no name any more once it is open:
 * whatever kills the process, nothing is left. What goes beyond the bound is counted, not kept.
 */
export class Spool {
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private valid = true;
  /** Bytes that came, kept or not. */
  bytes = 0;
  private kept = 0;

  private constructor(
    private readonly handle: FileHandle,
    private readonly bound: number,
  ) {}

  static async create(dir: string, bound: number): Promise<Spool> {
    const file = join(dir, randomUUID());
    const handle = await open(file, 'wx+', 0o600);
    try {
      await rm(file);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new Spool(handle, bound);
  }

  async write(chunk: Buffer): Promise<void> {
    this.bytes += chunk.length;
    const part = chunk.subarray(0, Math.max(0, this.bound - this.kept));
    if (part.length === 0) return;
    this.look(part);
    for (let at = 0; at < part.length;) {
      at += (await this.handle.write(part, at, part.length - at, this.kept + at)).bytesWritten;
    }
    this.kept += part.length;
  }

  /** Whether more came than was kept. */
  get truncated(): boolean {
    return this.bytes > this.kept;
  }

  /** Whether what was kept is UTF-8. */
  isText(): boolean {
    if (this.valid && !this.truncated) this.look(null);
    return this.valid;
  }

  /** What was kept, from the beginning; may be read again and again. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < this.kept;) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK, this.kept - at));
      const { bytesRead } = await this.handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new Error('a spooled body is shorter than it was written');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async discard(): Promise<void> {
    await this.handle.close();
  }

  private look(part: Buffer | null): void {
    if (!this.valid) return;
    try {
      this.utf8.decode(part ?? Buffer.alloc(0), { stream: part !== null });
    } catch {
      this.valid = false;
    }
  }
}
