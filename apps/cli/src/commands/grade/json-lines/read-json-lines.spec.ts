import { LineError } from './line-error';
import { readJsonLines } from './read-json-lines';

async function read(chunks: readonly (string | Buffer)[], longest?: number): Promise<unknown[]> {
  async function* source(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk);
    await Promise.resolve();
  }
  const lines: unknown[] = [];
  for await (const line of readJsonLines(source(), longest)) {
    lines.push('error' in line ? [line.number, line.error.message] : [line.number, line.value]);
  }
  return lines;
}

test('lines are cut at \\n alone, wherever the chunks end; the last needs none', async () => {
  const text = '{"a":"\u2028\u0085é"}\r\n2\n"x"';
  const expected = [
    [1, { a: '\u2028\u0085é' }],
    [2, 2],
    [3, 'x'],
  ];
  expect(await read([text])).toEqual(expected);
  expect(await read(Array.from(Buffer.from(text), (byte) => Buffer.from([byte])))).toEqual(expected);
  expect(await read([`${text}\n`])).toEqual(expected);
});

test('blank lines are counted and skipped', async () => {
  expect(await read(['\n \t\r\n1\n\n'])).toEqual([[3, 1]]);
  expect(await read([])).toEqual([]);
});

test('a line that is too long is named, and the next is read', async () => {
  expect(await read(['12', '34567', '89\n1234567\n', '12345678'], 7)).toEqual([
    [1, '(line): expected at most 7 bytes, got 9'],
    [2, 1234567],
    [3, '(line): expected at most 7 bytes, got 8'],
  ]);
});

test('a byte order mark is skipped at the very beginning alone', async () => {
  expect(await read(['\ufeff1\n\ufeff2\n'])).toEqual([
    [1, 1],
    [2, expect.stringMatching(/^\(line\): expected JSON, got "\ufeff2"/)],
  ]);
});

test('an error of the source is not taken for one of a line', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from('1\n');
    await Promise.resolve();
    throw new LineError('of the source');
  }
  const lines = readJsonLines(broken());
  expect((await lines.next()).value).toEqual({ number: 1, value: 1 });
  await expect(lines.next()).rejects.toThrow('of the source');
});
