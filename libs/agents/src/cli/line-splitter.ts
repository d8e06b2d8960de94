import { StringDecoder } from 'node:string_decoder';

/** Characters of one line; what is longer is cut and marked. A reply with a whole file in it fits. */
const LONGEST_LINE = 16_777_216;

/** Cuts a stream of bytes into lines, whatever the pieces it comes in, and holds no more than one line. */
export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private held: string[] = [];
  private length = 0;
  private dropped = 0;

  constructor(
    private readonly onLine: (line: string) => void,
    private readonly longest = LONGEST_LINE,
  ) {}

  push(chunk: Buffer): void {
    this.take(this.decoder.write(chunk));
  }

  /** The last line needs no end. */
  end(): void {
    this.take(this.decoder.end());
    if (this.length > 0 || this.dropped > 0) this.flush();
  }

  private take(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.hold(first);
    for (const other of others) {
      this.flush();
      this.hold(other);
    }
  }

  private hold(text: string): void {
    const kept = text.slice(0, Math.max(0, this.longest - this.length));
    this.dropped += text.length - kept.length;
    if (kept === '') return;
    this.held.push(kept);
    this.length += kept.length;
  }

  private flush(): void {
    const mark = this.dropped === 0 ? '' : `[${this.dropped} characters left out]`;
    const line = this.held.join('') + mark;
    this.held = [];
    this.length = 0;
    this.dropped = 0;
    this.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}
