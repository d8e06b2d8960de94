import * as fc from 'fast-check';
import { Redactor } from './redactor';

const KEY = 'sk-a/b"c+d';

async function streamed(redactor: Redactor, text: string, cuts: readonly number[]): Promise<string> {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b), bytes.length];
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const [index, from] of at.slice(0, -1).entries())
      yield await Promise.resolve(bytes.subarray(from, at[index + 1]));
  }
  const out: Buffer[] = [];
  for await (const part of redactor.stream(chunks())) out.push(Buffer.from(part));
  return Buffer.concat(out).toString();
}

test.each([
  ['plain', `a ${KEY} b`, 'a [redacted] b'],
  ['in JSON', `{"k":${JSON.stringify(KEY)}}`, '{"k":"[redacted]"}'],
  ['in JSON with escaped slashes', '"sk-a\\/b\\"c+d"', '"[redacted]"'],
  ['in a URL', `?k=${encodeURIComponent(KEY)}&x`, '?k=[redacted]&x'],
  ['twice', `${KEY}${KEY}`, '[redacted][redacted]'],
  ['with another one', 'token-1 and sk-a/b"c+d', '[redacted] and [redacted]'],
  ['not at all', 'sk-a/b"c+', 'sk-a/b"c+'],
])('a secret is taken out %s', async (_name, text, expected) => {
  const redactor = new Redactor([KEY, 'token-1']);
  expect(redactor.text(text)).toBe(expected);
  expect(await streamed(redactor, text, [3, 5, 8])).toBe(expected);
});

test('pieces give the same as the whole, wherever they are cut, and no secret is left', async () => {
  const redactor = new Redactor(['abab', 'abc']);
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ab', 'ä'), maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat({ max: 40 })), async (content, cuts) => {
      const out = await streamed(redactor, content, cuts);
      expect(out).toBe(redactor.text(content));
      expect(out).not.toMatch(/abab|abc/);
      if (!/abab|abc/.test(content)) expect(out).toBe(content);
    }),
    { numRuns: 1000 },
  );
});

test('without secrets nothing changes', async () => {
  expect(await streamed(new Redactor([]), 'abc', [1])).toBe('abc');
});
