import { createReadStream } from 'node:fs';
import { constants, createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream';
import { RecordLine, type RecordedRefusal, type RecordedRequest, type RecordedResponse } from './exchange-line.schema';

/**
 * What a record holds, in the order in which exchanges ended. An exchange without `response` had not ended when the record
 * did. `cut` comes last where the record was not closed: its writer was killed.
 */
export type RecordedEvent =
  | { readonly kind: 'exchange'; readonly request: RecordedRequest; readonly response: RecordedResponse | null }
  | { readonly kind: 'refused'; readonly refusal: RecordedRefusal }
  | { readonly kind: 'cut' };

/**
 * Reads the record of a trial. An end that is missing, at whatever byte, costs the last line at most.
 * @throws the file system's error when the file cannot be read, ZodError when a whole line is none of ours
 */
export async function* readExchanges(file: string): AsyncGenerator<RecordedEvent> {
  const open = new Map<number, RecordedRequest>();
  let closed = false;
  for await (const text of wholeLines(file)) {
    const line = RecordLine.parse(JSON.parse(text));
    switch (line.type) {
      case 'begin':
        break;
      case 'request':
        open.set(line.id, line);
        break;
      case 'response': {
        const request = open.get(line.id);
        open.delete(line.id);
        if (request !== undefined) yield { kind: 'exchange', request, response: line };
        break;
      }
      case 'refused':
        yield { kind: 'refused', refusal: line };
        break;
      case 'end':
        closed = true;
    }
  }
  for (const request of open.values()) yield { kind: 'exchange', request, response: null };
  if (!closed) yield { kind: 'cut' };
}

const LINE_END = 0x0a;

async function* wholeLines(file: string): AsyncGenerator<string> {
  // SYNC_FLUSH at the end: a member that is cut gives what it has instead of an error.
  const unzipped = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  // An error of either side comes out of the loop below.
  pipeline(createReadStream(file), unzipped, () => undefined);
  let parts: Buffer[] = [];
  for await (const chunk of unzipped as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString('utf8');
      parts = [];
      from = end + 1;
    }
    parts.push(chunk.subarray(from));
  }
}
