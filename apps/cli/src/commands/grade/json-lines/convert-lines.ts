import { pipeline } from 'node:stream/promises';
import { types } from 'node:util';
import { ExitError } from '../../../output';
import { LineError } from './line-error';
import { messageOf, openInput, ReadError, STANDARD } from './open-input';
import { openOutput } from './open-output';
import { readJsonLines } from './read-json-lines';

/** How many lines came out. */
export interface Conversion {
  readonly converted: number;
  /** Lines that say `{line, error}`. */
  readonly errors: number;
  /** The first of them, in words. */
  readonly firstError: string | null;
}

/** Makes the output line of one value, in pieces, so that a long one is never held whole. */
export type Convert = (value: unknown) => Iterable<string>;

/**
 * Turns a JSONL file (gzip or not) into another, line by line and in order, no faster than the output takes it. Blank
 * lines are skipped. A line that is broken, or for which `convert` throws a LineError before its first piece, becomes
 * `{line, error}`, and the others go on; so ends an input that breaks off (a gzip file that was cut).
 * @throws UsageError when a file cannot be opened; ExitError when the output cannot be written
 */
export async function convertLines(inPath: string, outPath: string, convert: Convert): Promise<Conversion> {
  const input = openInput(inPath);
  const output = await openOutput(outPath, inPath);
  const conversion = new LineConversion(input, convert);
  // stdout stays open for what is said at the end.
  await pipeline(conversion.lines(), output, { end: outPath !== STANDARD }).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new ExitError(1, `cannot write ${outPath === STANDARD ? 'stdout' : outPath}: ${messageOf(error)}`);
  });
  return conversion;
}

class LineConversion implements Conversion {
  converted = 0;
  errors = 0;
  firstError: string | null = null;

  constructor(
    private readonly input: AsyncIterable<Buffer>,
    private readonly convert: Convert,
  ) {}

  async *lines(): AsyncGenerator<string> {
    let number = 0;
    try {
      for await (const line of readJsonLines(this.input)) {
        number = line.number;
        if ('error' in line) yield this.errorLine(number, line.error);
        else yield* this.lineOf(number, line.value);
      }
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      yield this.errorLine(number + 1, error);
    }
  }

  private *lineOf(number: number, value: unknown): Generator<string> {
    try {
      yield* this.convert(value);
      this.converted += 1;
      yield '\n';
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      yield this.errorLine(number, error);
    }
  }

  private errorLine(line: number, error: LineError | ReadError): string {
    this.errors += 1;
    this.firstError ??= `line ${line}: ${error.message}`;
    return `${JSON.stringify({ line, error: error.message })}\n`;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return types.isNativeError(error) && 'syscall' in error;
}
