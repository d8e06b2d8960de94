import * as fc from 'fast-check';
import { SecretEchoed, SecretGuard } from './secret-guard';

const SECRET = 'abcabd';

/** What came out, and whether the guard threw. */
function guarded(text: string, cuts: readonly number[]): { out: string; echoed: boolean } {
  const guard = new SecretGuard(SECRET);
  const bytes = Buffer.from(text);
  const at = [...cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b), bytes.length];
  let out = '';
  try {
    at.forEach((to, index) => (out += guard.pass(bytes.subarray(at[index - 1] ?? 0, to)).toString()));
    return { out: out + guard.end().toString(), echoed: false };
  } catch (error) {
    expect(error).toBeInstanceOf(SecretEchoed);
    return { out, echoed: true };
  }
}

test('without the secret everything comes out as it is; with it, no byte of it, wherever it is cut', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'abc', 'abca'), maxLength: 30 });
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 40 })), (content, cuts) => {
      const { out, echoed } = guarded(content, cuts);
      expect(echoed).toBe(content.includes(SECRET));
      if (echoed) expect(content.slice(0, content.indexOf(SECRET)).startsWith(out)).toBe(true);
      else expect(out).toBe(content);
    }),
    { numRuns: 3000 },
  );
});

test('only what may be the beginning of the secret is held back', () => {
  const guard = new SecretGuard(SECRET);
  expect(guard.pass(Buffer.from('data: x\n\n')).toString()).toBe('data: x\n\n');
  expect(guard.pass(Buffer.from('xxabc')).toString()).toBe('xx');
  expect(guard.pass(Buffer.from('abc')).toString()).toBe('abc');
  expect(guard.end().toString()).toBe('abc');
});
