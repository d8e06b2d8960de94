import fc from 'fast-check';
import { withinBytes } from './within-bytes.policy';

test('what fits stays in its order, and the first that does not fit ends it', () => {
  expect(withinBytes(['a', 'bcd', 'e'], 8)).toEqual(['a']);
  expect(withinBytes(['a', 'bcd', 'e'], 10)).toEqual(['a', 'bcd']);
  expect(withinBytes(['a', 'bcd', 'e'], 14)).toEqual(['a', 'bcd', 'e']);
  expect(withinBytes(['ä'], 4)).toEqual([]);
  expect(withinBytes([], 0)).toEqual([]);
});

test('however long the values are, it is the longest beginning of them within the bytes', () => {
  const size = (values: readonly string[]): number =>
    values.reduce((sum, value) => sum + Buffer.byteLength(JSON.stringify(value)) + 1, 0);
  fc.assert(
    fc.property(fc.array(fc.string()), fc.nat(200), (values, bytes) => {
      const kept = withinBytes(values, bytes);
      expect(kept).toEqual(values.slice(0, kept.length));
      expect(size(kept)).toBeLessThanOrEqual(bytes);
      if (kept.length < values.length) expect(size(values.slice(0, kept.length + 1))).toBeGreaterThan(bytes);
    }),
  );
});
