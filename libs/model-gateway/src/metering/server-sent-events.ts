const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Bytes of one event; an event that is longer is skipped. `response.completed` repeats the whole reply. */
const LONGEST_EVENT = 16 * 1024 * 1024;

/**
 * Reads a text/event-stream that comes in pieces (WHATWG HTML, 9.2.6: event streams): the `data` of every event, lines
 * joined by a newline. Other fields and comments are not looked at. Cuts may lie anywhere, also inside a character or
 * between CR and LF.
 */
export class ServerSentEvents {
  private parts: Buffer[] = [];
  private lineBytes = 0;
  private data: string[] = [];
  private eventBytes = 0;
  private afterCr = false;
  private firstLine = true;
  private skipping = false;
  /** Events that were too long to be read. */
  skipped = 0;

  constructor(private readonly longest = LONGEST_EVENT) {}

  /** The events that end in this chunk. */
  feed(chunk: Buffer): string[] {
    const events: string[] = [];
    let from = this.afterCr && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) this.afterCr = chunk.at(-1) === CR;
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte !== LF && byte !== CR) continue;
      this.keep(chunk.subarray(from, at));
      const event = this.lineEnds();
      if (event !== null) events.push(event);
      if (byte === CR && chunk[at + 1] === LF) at += 1;
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
    return events;
  }

  /** What a stream that ends without its last blank line still held: clients differ, so it counts. */
  end(): string[] {
    const line = this.lineEnds();
    const last = line ?? this.eventEnds();
    return last === null ? [] : [last];
  }

  private keep(part: Buffer): void {
    if (part.length === 0) return;
    this.lineBytes += part.length;
    this.eventBytes += part.length;
    if (this.eventBytes > this.longest) this.skipping = true;
    if (this.skipping) this.parts = [];
    else this.parts.push(Buffer.from(part));
  }

  private lineEnds(): string | null {
    if (this.lineBytes === 0) return this.eventEnds();
    let line = this.parts.length === 1 ? (this.parts[0] ?? Buffer.alloc(0)) : Buffer.concat(this.parts);
    this.parts = [];
    this.lineBytes = 0;
    if (this.firstLine && line.subarray(0, 3).equals(BYTE_ORDER_MARK)) line = line.subarray(3);
    this.firstLine = false;
    if (this.skipping) return null;
    const text = line.toString('utf8');
    const colon = text.indexOf(':');
    const field = colon === -1 ? text : text.slice(0, colon);
    if (field !== 'data') return null;
    const value = colon === -1 ? '' : text.slice(colon + 1);
    this.data.push(value.startsWith(' ') ? value.slice(1) : value);
    return null;
  }

  private eventEnds(): string | null {
    const event = this.data.length === 0 ? null : this.data.join('\n');
    const skipped = this.skipping;
    if (skipped) this.skipped += 1;
    this.data = [];
    this.eventBytes = 0;
    this.skipping = false;
    return skipped ? null : event;
  }
}
