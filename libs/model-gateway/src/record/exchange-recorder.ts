import { open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGzip } from 'node:zlib';
import type { RecordedRefusal, RecordedRequest, RecordedResponse, RecordLine } from './exchange-line.schema';
import type { Redactor } from './redactor';
import type { Spool } from './spool';

type WithoutBody<T> = T extends unknown ? Omit<T, 'bytes' | 'encoding' | 'truncated' | 'body'> : never;
export type RequestMeta = WithoutBody<RecordedRequest>;
export type ResponseMeta = WithoutBody<RecordedResponse>;

/** Refusals are small but cost nothing to provoke: this many are written, the rest is only counted. */
const MOST_REFUSALS = 100;

/**
 * The record of a trial's exchanges: one JSON line each for request and response, every line a gzip member of its own, so
 * that whatever ends the process leaves whole lines. A line that could not be written is taken back, and the first reason
 * is kept: a record with holes is no ground truth, and whoever closes it has to know.
 */
export class ExchangeRecorder {
  private written: Promise<void>;
  private offset = 0;
  private refusals = 0;
  /** The first error of a write; null: everything is in the file. */
  failure: unknown = null;

  private constructor(
    private readonly handle: FileHandle,
    private readonly redactor: Redactor,
    private readonly bound: number,
    begin: RecordLine,
  ) {
    this.written = this.append(textOf(begin, redactor));
  }

  /**
   * @param file must not exist yet; readable by this user alone
   * @param bound bytes of the file after which bodies are left out
   */
  static async open(
    file: string,
    begin: Extract<RecordLine, { type: 'begin' }>,
    redactor: Redactor,
    bound: number,
  ): Promise<ExchangeRecorder> {
    return new ExchangeRecorder(await open(file, 'wx', 0o600), redactor, bound, begin);
  }

  request(meta: RequestMeta, body: Spool | null): Promise<void> {
    return this.queue(() => this.lineOf(meta, body));
  }

  response(meta: ResponseMeta, body: Spool | null): Promise<void> {
    return this.queue(() => this.lineOf(meta, body));
  }

  refused(refusal: RecordedRefusal): void {
    this.refusals += 1;
    if (this.refusals <= MOST_REFUSALS) void this.queue(() => textOf(refusal, this.redactor));
  }

  /** Writes the last line and closes the file. */
  async close(at: Date): Promise<void> {
    await this.queue(() => textOf({ type: 'end', at: at.toISOString() }, this.redactor));
    await this.handle.close();
  }

  private queue(line: () => AsyncIterable<string>): Promise<void> {
    this.written = this.written.then(() => this.append(line()));
    return this.written;
  }

  /** Never rejects. */
  private async append(line: AsyncIterable<string>): Promise<void> {
    const begin = this.offset;
    try {
      await pipeline(line, createGzip(), async (parts: AsyncIterable<Buffer>) => {
        for await (const part of parts) this.offset += await this.write(part);
      });
    } catch (error) {
      this.failure ??= error;
      this.offset = begin;
      await this.handle.truncate(begin).catch((second: unknown) => (this.failure ??= second));
    }
  }

  private async write(part: Buffer): Promise<number> {
    for (let at = 0; at < part.length;) {
      at += (await this.handle.write(part, at, part.length - at, this.offset + at)).bytesWritten;
    }
    return part.length;
  }

  private async *lineOf(meta: RequestMeta | ResponseMeta, body: Spool | null): AsyncGenerator<string> {
    const encoding = this.offset > this.bound ? 'omitted' : (body?.isText() ?? true) ? 'utf8' : 'base64';
    const head = { ...meta, bytes: body?.bytes ?? 0, encoding, truncated: body?.truncated ?? false };
    yield `${this.redactor.text(JSON.stringify(head)).slice(0, -1)},"body":"`;
    if (body !== null && encoding !== 'omitted') {
      const chunks = this.redactor.stream(body.chunks());
      yield* encoding === 'utf8' ? escaped(chunks) : base64(chunks);
    }
    yield '"}\n';
  }
}

async function* textOf(line: RecordLine, redactor: Redactor): AsyncGenerator<string> {
  yield await Promise.resolve(`${redactor.text(JSON.stringify(line))}\n`);
}

async function* escaped(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  for await (const chunk of chunks) yield JSON.stringify(decoder.write(chunk)).slice(1, -1);
  yield JSON.stringify(decoder.end()).slice(1, -1);
}

async function* base64(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all = Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % 3);
    yield all.toString('base64', 0, whole);
    rest = all.subarray(whole);
  }
  yield rest.toString('base64');
}
