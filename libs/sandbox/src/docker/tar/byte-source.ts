/** Bytes that come in pieces, taken in the portions that somebody wants. */
export class ByteSource {
  private readonly pieces: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.pieces = source[Symbol.asyncIterator]();
  }

  /** Exactly so many; null at the end. @throws Error when it ends within them */
  async take(count: number): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    let missing = count;
    for (;;) {
      const part = this.rest.subarray(0, missing);
      this.rest = this.rest.subarray(part.length);
      missing -= part.length;
      if (missing === 0 && parts.length === 0) return part;
      if (part.length > 0) parts.push(part);
      if (missing === 0) return Buffer.concat(parts);
      if (await this.more()) continue;
      if (parts.length === 0) return null;
      throw endedEarly();
    }
  }

  /** So many, as they come. */
  async *pass(count: number): AsyncGenerator<Buffer> {
    let missing = count;
    while (missing > 0) {
      if (this.rest.length === 0 && !(await this.more())) throw endedEarly();
      const part = this.rest.subarray(0, missing);
      this.rest = this.rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  async skip(count: number): Promise<void> {
    const parts = this.pass(count);
    while ((await parts.next()).done !== true);
  }

  private async more(): Promise<boolean> {
    const next = await this.pieces.next();
    if (next.done === true) return false;
    this.rest = next.value;
    return true;
  }
}

function endedEarly(): Error {
  return new Error('the archive ends too early');
}
