import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { types } from 'node:util';
import { createGunzip } from 'node:zlib';
import { requireFile } from '../../../path-option';

/** Stands for stdin or stdout. */
export const STANDARD = '-';

/** Reading broke off, e.g. in a gzip file that was cut. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
}

/**
 * The bytes of a file or of stdin, unpacked where they are gzip: its first two bytes say so, and no JSON begins with
 * them. The reading throws ReadError.
 * @throws UsageError when there is no such file
 */
export function openInput(path: string): AsyncIterable<Buffer> {
  if (path === STANDARD) return reading(process.stdin, 'stdin');
  requireFile({ option: '--in', wanted: 'a file' }, path);
  return reading(createReadStream(path), path);
}

export function messageOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}

async function* reading(input: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    yield* unpacked(input);
  } catch (error) {
    throw new ReadError(`cannot read ${name}: ${messageOf(error)}`, { cause: error });
  }
}

async function* unpacked(input: Readable): AsyncGenerator<Buffer> {
  const chunks = (input as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const all = joined(head, chunks);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  // An error of either stream reaches the loop, because pipeline destroys the last stream with it.
  yield* isGzip ? (pipeline(Readable.from(all), createGunzip(), () => undefined) as AsyncIterable<Buffer>) : all;
}

async function* joined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* { [Symbol.asyncIterator]: () => rest };
}
