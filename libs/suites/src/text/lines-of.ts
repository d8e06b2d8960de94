/** A line that grew over its bound; everything after it is lost, because its end was not looked for. */
export class LineTooLong extends Error {
  constructor(
    /** 1 for the first. */
    readonly line: number,
    readonly maxBytes: number,
  ) {
    super(`line ${line} is longer than ${maxBytes} bytes`);
    this.name = 'LineTooLong';
  }
}

const NEWLINE = 0x0a;

/**
 * The lines of a stream of bytes, split at `\n` alone: JSON may hold the other separators that Node's readline splits at.
 * Decoded as UTF-8, what is malformed replaced. The text after the last `\n` is a line, unless it is empty.
 * @throws LineTooLong; whatever the stream throws
 */
export async function* linesOf(input: AsyncIterable<Buffer>, maxBytes = 1_073_741_824): AsyncGenerator<string> {
  let number = 1;
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      if (size + at - from > maxBytes) throw new LineTooLong(number, maxBytes);
      yield Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8');
      number += 1;
      parts = [];
      size = 0;
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size > maxBytes) throw new LineTooLong(number, maxBytes);
    if (rest.length > 0) parts.push(rest);
  }
  if (size > 0) yield Buffer.concat(parts).toString('utf8');
}
