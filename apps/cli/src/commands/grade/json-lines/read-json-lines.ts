import { constants, isUtf8 } from 'node:buffer';
import { LineError } from './line-error';

/** One line of a JSONL file that is not blank, by its number from 1: its value, or what is wrong with it. */
export type JsonLine =
  { readonly number: number; readonly value: unknown } | { readonly number: number; readonly error: LineError };

const LINE_FEED = 0x0a;

/**
 * Reads JSON lines, which end at `\n` and at nothing else; the last needs none. Holds one line at a time, and of that no
 * more than its value while the reader works with it.
 * @param longest bytes that a line may have; default: what a JavaScript string can hold
 */
export async function* readJsonLines(
  chunks: AsyncIterable<Buffer>,
  longest: number = constants.MAX_STRING_LENGTH,
): AsyncGenerator<JsonLine> {
  const line = new LineBuilder(longest);
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, end));
      yield* line.end();
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  yield* line.end();
}

class LineBuilder {
  private parts: Buffer[] = [];
  private length = 0;
  private number = 0;

  constructor(private readonly longest: number) {}

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length <= this.longest) this.parts.push(part);
    else this.parts = [];
  }

  /** The line so far, unless it is blank; the next one begins. */
  end(): JsonLine[] {
    this.number += 1;
    const number = this.number;
    try {
      const text = this.takeText();
      return text.trim() === '' ? [] : [{ number, value: parse(text) }];
    } catch (error) {
      if (error instanceof LineError) return [{ number, error }];
      throw error;
    }
  }

  private takeText(): string {
    const { length, parts } = this;
    this.length = 0;
    this.parts = [];
    if (length > this.longest) throw new LineError(`(line): expected at most ${this.longest} bytes, got ${length}`);
    const bytes = Buffer.concat(parts, length);
    if (!isUtf8(bytes)) throw new LineError(`(line): expected UTF-8, got other bytes in ${shown(bytes.toString())}`);
    const text = bytes.toString();
    return this.number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new LineError(`(line): expected JSON, got ${shown(text)} (${error.message})`);
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
