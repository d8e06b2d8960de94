/** Collects a stretch of bytes that may lie across chunks, up to a bound. */
export class Collector {
  private chunk: Buffer = Buffer.alloc(0);
  private from = 0;
  private active = false;
  private parts: Buffer[] = [];
  private length = 0;
  private longest = 0;

  chunkBegins(chunk: Buffer): void {
    this.chunk = chunk;
    this.from = 0;
  }

  /** What was collected of this chunk is copied: its memory belongs to the caller again. */
  chunkEnds(): void {
    if (this.active) this.keep(this.chunk.length);
  }

  begins(at: number, longest: number): void {
    this.active = true;
    this.from = at;
    this.parts = [];
    this.length = 0;
    this.longest = longest;
  }

  /** The bytes up to `at` of the present chunk; null when they were more than the bound. */
  ends(at: number): Buffer | null {
    this.keep(at);
    this.active = false;
    const whole = this.length > this.longest ? null : Buffer.concat(this.parts);
    this.parts = [];
    return whole;
  }

  private keep(to: number): void {
    const part = this.chunk.subarray(this.from, to);
    this.length += part.length;
    if (this.length > this.longest) this.parts = [];
    else this.parts.push(Buffer.from(part));
    this.from = to;
  }
}
