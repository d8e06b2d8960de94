import fc from 'fast-check';
import { linesOf } from './lines-of';

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function all(text: string, size = 3, maxBytes?: number): Promise<string[]> {
  const found: string[] = [];
  for await (const line of linesOf(chunks(Buffer.from(text), size), maxBytes)) found.push(line);
  return found;
}

test('lines end at a line feed alone; the rest after the last one is a line', async () => {
  expect(await all('a\r\nb\u2028c\u2029d\re\n\nf')).toEqual(['a\r', 'b\u2028c\u2029d\re', '', 'f']);
  expect(await all('a\n')).toEqual(['a']);
  expect(await all('')).toEqual([]);
});

test('wherever the chunks are cut, characters of several bytes among them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), async (text, size) => {
      const whole = `${text}\nä€😀\n`;
      expect(await all(whole, size)).toEqual(whole.slice(0, -1).split('\n'));
    }),
  );
});

test('a line over its bound is an error that names it, whether or not it ever ends', async () => {
  await expect(all('ab\nabcdef\n', 3, 5)).rejects.toMatchObject({ name: 'LineTooLong', line: 2, maxBytes: 5 });
  await expect(all('ab\nabcdef', 100, 5)).rejects.toMatchObject({ line: 2 });
  expect(await all('abcde\nfghij', 100, 5)).toEqual(['abcde', 'fghij']);
});
