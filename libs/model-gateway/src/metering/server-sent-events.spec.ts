import * as fc from 'fast-check';
import { ServerSentEvents } from './server-sent-events';

function eventsIn(bytes: Buffer, cuts: readonly number[], longest?: number): string[] {
  const parser = new ServerSentEvents(longest);
  const events: string[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b).filter((at) => at <= bytes.length)) {
    // A copy, written over afterwards: a transport uses its memory again.
    const chunk = Buffer.from(bytes.subarray(from, cut));
    events.push(...parser.feed(chunk));
    chunk.fill(0x21);
    from = cut;
  }
  return [...events, ...parser.feed(bytes.subarray(from)), ...parser.end()];
}

/** The rules of the standard, on the whole text at once. */
function reference(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const events: string[] = [];
  let data: string[] = [];
  for (const line of [...lines, '']) {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'));
      data = [];
    } else if (/^data(:|$)/.test(line)) data.push(line.slice(5).replace(/^ /, ''));
  }
  return events;
}

const ending = fc.constantFrom('\n', '\r\n', '\r');
const line = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => `data: ${text}`),
  fc.constantFrom(
    '',
    '',
    'data',
    'data:',
    'data:  two',
    ': comment',
    'event: x',
    'id: 1',
    'dat: no',
    'retry: 1',
    'data:x:y',
  ),
);
const document = fc
  .array(fc.tuple(line, ending), { maxLength: 12 })
  .map((lines) => lines.map(([text, end]) => `${text.replace(/[\r\n]/g, '')}${end}`).join(''));
const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 20 });

test('events are those of the standard, wherever the transport cuts: inside characters, line ends, fields', () => {
  fc.assert(
    fc.property(document, cuts, fc.boolean(), (text, at, marked) => {
      const whole = `${marked ? '\uFEFF' : ''}${text}`;
      expect(eventsIn(Buffer.from(whole), at)).toEqual(reference(whole));
    }),
    { numRuns: 2000 },
  );
});

test('one byte at a time gives the same', () => {
  const text = 'data: ä\r\n\r\ndata: {"a":\rdata: 1}\n\nevent: x\r\rdata: [DONE]';
  expect(
    eventsIn(
      Buffer.from(text),
      Array.from({ length: 80 }, (_, at) => at),
    ),
  ).toEqual(['ä', '{"a":\n1}', '[DONE]']);
});

test('an event that is too long is skipped, told, and the next one is read', () => {
  const parser = new ServerSentEvents(100);
  const long = Buffer.from(`data: ${'x'.repeat(500)}\n\ndata: ok\n\n`);
  const events = [long.subarray(0, 90), long.subarray(90, 300), long.subarray(300)].flatMap((chunk) =>
    parser.feed(chunk),
  );
  expect(events).toEqual(['ok']);
  expect(parser.skipped).toBe(1);
});

test('many data lines of one event count as one event', () => {
  const parser = new ServerSentEvents(100);
  expect(parser.feed(Buffer.from(`${'data: 0123456789\n'.repeat(20)}\ndata: ok\n\n`))).toEqual(['ok']);
});

test('a long line costs time in proportion to its length', () => {
  const parser = new ServerSentEvents(200 * 1024 * 1024);
  parser.feed(Buffer.from('data: '));
  const piece = Buffer.alloc(16 * 1024, 'x');
  for (let n = 0; n < 4096; n += 1) parser.feed(piece);
  expect(parser.feed(Buffer.from('\n\n'))[0]).toHaveLength(4096 * 16 * 1024);
});
