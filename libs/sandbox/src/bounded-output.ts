/**
 * Keeps the first `maxBytes` of a command's output and drops the rest, so that a talker costs no memory. Chunks are
 * taken at once: the sender is slowed by its own pipe, never by a queue of ours.
 */
export class BoundedOutput {
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  private dropped = false;

  constructor(
    private readonly maxBytes: number,
    private readonly onChunk?: (chunk: Buffer) => void,
  ) {}

  push(chunk: Buffer): void {
    this.onChunk?.(chunk);
    const room = this.maxBytes - this.kept;
    if (chunk.length > room) this.dropped = true;
    if (room <= 0) return;
    // A copy: a slice would keep the whole read buffer alive for a few bytes of it.
    const part = Buffer.from(chunk.subarray(0, room));
    this.chunks.push(part);
    this.kept += part.length;
  }

  get truncated(): boolean {
    return this.dropped;
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks, this.kept);
  }
}
