import fc from 'fast-check';
import { canonicalJson } from './canonical';

test('keys are sorted at every depth, lists keep their order', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
});

test('undefined members are left out', () => {
  expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
});

test('the text reads back as the value, and does not depend on the order of keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const plain = JSON.parse(JSON.stringify(object)) as Record<string, unknown>;
      const reversed = Object.fromEntries(Object.entries(plain).reverse());
      expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      expect(canonicalJson(reversed)).toBe(canonicalJson(plain));
    }),
  );
});
