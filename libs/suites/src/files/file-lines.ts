import { createReadStream } from 'node:fs';
import { type Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { linesOf } from '../text/lines-of';

/** The lines of a text file, one after the other; `.gz` is unpacked on the way. @throws what reading or unpacking throws */
export function fileLines(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  // An error of either stream reaches the loop, because pipeline destroys the last stream with it.
  const input: Readable = file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => undefined) : bytes;
  return linesOf(input as AsyncIterable<Buffer>);
}
