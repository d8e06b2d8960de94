/** Longest frame that is believed: the engine's own are far shorter. */
const MAX_FRAME = 16_777_216;

/**
 * Takes the engine's framed stream apart (8 bytes of header: stream, three zeros, length) and hands on the content of both
 * streams in their order. Strict: a header that is none ends it with an error instead of guessing.
 */
export class Frames {
  private header = Buffer.alloc(0);
  private left = 0;

  constructor(private readonly onContent: (chunk: Buffer) => void) {}

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.left > 0) {
        const part = rest.subarray(0, this.left);
        this.onContent(part);
        this.left -= part.length;
        rest = rest.subarray(part.length);
        continue;
      }
      const missing = 8 - this.header.length;
      this.header = Buffer.concat([this.header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (this.header.length < 8) return;
      this.left = lengthOf(this.header);
      this.header = Buffer.alloc(0);
    }
  }
}

function lengthOf(header: Buffer): number {
  const length = header.readUInt32BE(4);
  const stream = header[0] ?? 255;
  if (stream > 2 || header[1] !== 0 || header[2] !== 0 || header[3] !== 0 || length > MAX_FRAME) {
    throw new Error(`the engine sent a broken frame: ${header.toString('hex')}`);
  }
  return length;
}
