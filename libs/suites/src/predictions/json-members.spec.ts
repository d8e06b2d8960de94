import fc from 'fast-check';
import { jsonMembers } from './json-members';

test('the entries of a list and of an object come with the lines that they begin on', () => {
  expect(jsonMembers('[\n  1,\n\n  {"a": [2,\n 3]}, "x,]"\n]')).toEqual([
    { key: null, value: 1, line: 2 },
    { key: null, value: { a: [2, 3] }, line: 4 },
    { key: null, value: 'x,]', line: 5 },
  ]);
  expect(jsonMembers('{"a":\n\n1,\n"b:": {"c": null}\n}')).toEqual([
    { key: 'a', value: 1, line: 1 },
    { key: 'b:', value: { c: null }, line: 4 },
  ]);
});

test('a key that is repeated comes twice', () => {
  expect(jsonMembers('{"a": 1, "a": 2, "__proto__": 3}').map(({ key, value }) => [key, value])).toEqual([
    ['a', 1],
    ['a', 2],
    ['__proto__', 3],
  ]);
});

test.each(['[]', '{}', ' [ ] ', '\n{\n}\n'])('%j has no entries', (text) => {
  expect(jsonMembers(text)).toEqual([]);
});

test.each([
  ['', SyntaxError],
  ['[1,]', SyntaxError],
  ['{"a" 1}', SyntaxError],
  ['[1] 2', SyntaxError],
  ['3', TypeError],
  ['"[]"', TypeError],
  ['null', TypeError],
])('%j is refused', (text, error) => {
  expect(() => jsonMembers(text)).toThrow(error);
});

test('whatever stands in the entries, they are those that JSON.parse has', () => {
  const value = fc.jsonValue({ depthSize: 'small', stringUnit: 'binary' });
  const indent = fc.constantFrom(undefined, 2, '\t');
  fc.assert(
    fc.property(fc.array(value), indent, (list, space) => {
      const text = JSON.stringify(list, null, space);
      const expected: unknown = JSON.parse(text);
      expect(jsonMembers(text).map((member) => member.value)).toEqual(expected);
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), value), indent, (object, space) => {
      const text = JSON.stringify(object, null, space);
      const expected = Object.entries(JSON.parse(text) as object);
      expect(jsonMembers(text).map((member) => [member.key, member.value])).toEqual(expected);
    }),
  );
});

test('long strings full of quotes and backslashes end where they end', () => {
  const patch = '\\n"quoted"\\'.repeat(20_000);
  const text = JSON.stringify(
    Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`id-${at}`, { patch }])),
    null,
    2,
  );
  const members = jsonMembers(text);
  expect(members).toHaveLength(50);
  expect(members[49]).toEqual({ key: 'id-49', value: { patch }, line: 2 + 49 * 3 });
});
