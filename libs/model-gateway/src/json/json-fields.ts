import { Collector } from './collector';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;
const OPENING: Readonly<Record<number, number>> = { [OPEN_OBJECT]: CLOSE_OBJECT, 0x5b: CLOSE_LIST };
const COLON = 0x3a;
const COMMA = 0x2c;

/** Deeper nesting is no request or reply of a model. */
const DEEPEST = 1000;
/** Bytes of a name; a longer one is none that anybody asks for. */
const LONGEST_NAME = 4096;

/** What a scan found. A field that stands twice has two values, in order: readers differ in which one counts. */
export type ScannedFields =
  | {
      readonly kind: 'object';
      readonly fields: ReadonlyMap<string, readonly unknown[]>;
      /** Fields whose text was longer than was to be kept. */
      readonly tooLong: ReadonlySet<string>;
    }
  | { readonly kind: 'malformed'; readonly reason: string };

type Place = 'before' | 'first-name' | 'name' | 'colon' | 'value' | 'in-value' | 'done';

/**
 * Picks some top-level fields out of a JSON object of any size that comes in pieces, in memory that does not grow with
 * it. Brackets, strings and separators of the whole are followed; what lies inside fields that nobody asked for is not
 * checked further.
 */
export class JsonFields {
  private place: Place = 'before';
  private inString = false;
  private escaped = false;
  /** The closing brackets that are awaited, innermost last. */
  private readonly awaited: number[] = [];
  private readonly collector = new Collector();
  private name = '';
  private malformed: string | null = null;
  private readonly found = new Map<string, unknown[]>();
  private readonly tooLong = new Set<string>();

  /** @param wanted bytes of text to keep at most, by the name of the field */
  constructor(private readonly wanted: ReadonlyMap<string, number>) {}

  feed(chunk: Buffer): void {
    this.collector.chunkBegins(chunk);
    for (let at = 0; at < chunk.length && this.malformed === null; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.inString) this.string(byte, at);
      else if (this.awaited.length > 1) this.nested(byte);
      else if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) this.top(byte, at);
    }
    this.collector.chunkEnds();
  }

  end(): ScannedFields {
    if (this.place !== 'done') this.malformed ??= 'the JSON object does not end';
    if (this.malformed !== null) return { kind: 'malformed', reason: this.malformed };
    return { kind: 'object', fields: this.found, tooLong: this.tooLong };
  }

  /** The last value of a field seen so far, although the object may go on; undefined when there is none. */
  last(name: string): unknown {
    return this.found.get(name)?.at(-1);
  }

  /** True once the object has ended. */
  get complete(): boolean {
    return this.place === 'done' && this.malformed === null;
  }

  private string(byte: number, at: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) {
      this.inString = false;
      if (this.place === 'name') this.nameEnds(at + 1);
    }
  }

  private nested(byte: number): void {
    if (byte === QUOTE) this.inString = true;
    else if (OPENING[byte] !== undefined) this.opens(byte);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.closes(byte);
  }

  private top(byte: number, at: number): void {
    switch (this.place) {
      case 'before':
        this.objectBegins(byte);
        break;
      case 'first-name':
      case 'name':
        this.nameBegins(byte, at);
        break;
      case 'colon':
        if (byte === COLON) this.place = 'value';
        else this.refuse('a colon is missing');
        break;
      case 'value':
        this.valueBegins(byte, at);
        break;
      case 'in-value':
        if (byte === COMMA || byte === CLOSE_OBJECT) this.valueEnds(byte, at);
        else this.literalGoesOn(byte);
        break;
      case 'done':
        this.refuse('something follows the JSON object');
    }
  }

  private objectBegins(byte: number): void {
    if (byte !== OPEN_OBJECT) this.refuse('it is not a JSON object');
    this.awaited.push(CLOSE_OBJECT);
    this.place = 'first-name';
  }

  private objectEnds(): void {
    this.awaited.pop();
    this.place = 'done';
  }

  private nameBegins(byte: number, at: number): void {
    if (byte === QUOTE) {
      this.place = 'name';
      this.inString = true;
      this.collector.begins(at, LONGEST_NAME);
    } else if (byte === CLOSE_OBJECT && this.place === 'first-name') this.objectEnds();
    else this.refuse('a name in quotes is missing');
  }

  private nameEnds(at: number): void {
    this.place = 'colon';
    const raw = this.collector.ends(at);
    const name = raw === null ? '' : parsed(raw);
    if (typeof name === 'string') this.name = name;
    else this.refuse('a name is no JSON string');
  }

  private valueBegins(byte: number, at: number): void {
    const longest = this.wanted.get(this.name);
    if (longest !== undefined) this.collector.begins(at, longest);
    this.place = 'in-value';
    if (byte === COMMA || byte === CLOSE_OBJECT) this.refuse('a value is missing');
    else this.nested(byte);
  }

  private valueEnds(byte: number, at: number): void {
    if (this.wanted.has(this.name)) this.take(this.collector.ends(at));
    if (byte === CLOSE_OBJECT) this.objectEnds();
    else this.place = 'name';
  }

  /** @param raw null: longer than wanted */
  private take(raw: Buffer | null): void {
    const value = raw === null ? undefined : parsed(raw);
    if (raw === null) this.tooLong.add(this.name);
    else if (value === undefined) this.refuse(`the value of ${this.name} is no JSON`);
    else this.found.set(this.name, [...(this.found.get(this.name) ?? []), value]);
  }

  private opens(byte: number): void {
    if (this.awaited.length === DEEPEST) this.refuse(`it is nested deeper than ${DEEPEST}`);
    else this.awaited.push(OPENING[byte] ?? 0);
  }

  private closes(byte: number): void {
    if (this.awaited.pop() !== byte) this.refuse('its brackets do not match');
  }

  private literalGoesOn(byte: number): void {
    const literal =
      (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || [0x2b, 0x2d, 0x2e, 0x45].includes(byte);
    if (!literal) this.refuse('a comma is missing');
  }

  private refuse(reason: string): void {
    this.malformed ??= reason;
  }
}

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
