import * as fc from 'fast-check';
import { JsonFields, type ScannedFields } from './json-fields';

const WANTED = new Map([
  ['model', 1000],
  ['usage', 1000],
  ['tools', 40],
]);

function scan(text: string | Buffer, cut = 7): ScannedFields {
  const bytes = Buffer.from(text);
  const fields = new JsonFields(WANTED);
  for (let at = 0; at < bytes.length; at += cut) fields.feed(Buffer.from(bytes.subarray(at, at + cut)));
  return fields.end();
}

const name = fc.oneof(fc.constantFrom('model', 'usage', 'm', 'modèle', 'mo"del', ''), fc.string({ unit: 'grapheme' }));

test('whatever JSON.parse reads of an object, the scan finds the same top-level fields, wherever it is cut', () => {
  const object = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 });
  fc.assert(
    fc.property(object, fc.integer({ min: 1, max: 20 }), fc.constantFrom(0, 1, '\t'), (value, cut, indent) => {
      const found = scan(JSON.stringify(value, null, indent), cut);
      if (found.kind === 'malformed') throw new Error(found.reason);
      const read = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
      for (const wanted of ['model', 'usage']) {
        const expected = Object.hasOwn(read, wanted) ? [read[wanted]] : undefined;
        if (!found.tooLong.has(wanted)) expect(found.fields.get(wanted)).toEqual(expected);
      }
    }),
  );
});

test('whatever JSON.parse refuses at the top level, or is no object, is malformed or has valid wanted fields only', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', ' ', '1', 'e', 't', '"model"') }),
      (text) => {
        const found = scan(text);
        if (found.kind === 'object') return;
        expect(() => {
          expectObject(JSON.parse(text));
        }).toThrow();
      },
    ),
    { numRuns: 2000 },
  );
});

function expectObject(value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object');
}

test.each<[string | Buffer, string]>([
  ['', 'the JSON object does not end'],
  ['[1]', 'it is not a JSON object'],
  ['"model"', 'it is not a JSON object'],
  ['{"model": "a"', 'the JSON object does not end'],
  ['{"model": "a"} x', 'something follows the JSON object'],
  ['{"model" "a"}', 'a colon is missing'],
  ['{"model": }', 'a value is missing'],
  ['{"model": "a" "b"}', 'a comma is missing'],
  ['{"a": [1}}', 'its brackets do not match'],
  ['{model: 1}', 'a name in quotes is missing'],
  ['{"a":1,}', 'a name in quotes is missing'],
  ['{"model": tru}', 'the value of model is no JSON'],
  ['{"a\\x": 1}', 'a name is no JSON string'],
  [Buffer.from('{"model": "a"}', 'utf16le'), 'a name in quotes is missing'],
])('%s is malformed: %s', (text, reason) => {
  expect(scan(text)).toEqual({ kind: 'malformed', reason });
});

test('nesting has a bound', () => {
  expect(scan(`{"a":${'['.repeat(2000)}`)).toEqual({ kind: 'malformed', reason: 'it is nested deeper than 1000' });
});

test('a field that stands twice, once in disguise, has both values', () => {
  const found = scan('{"model":"a","m\\u006fdel":"b","x":{"model":"c"}}');
  expect(found).toMatchObject({ kind: 'object' });
  if (found.kind === 'object') expect(found.fields.get('model')).toEqual(['a', 'b']);
});

test('a field longer than was to be kept is told, and the scan goes on', () => {
  const found = scan(`{"tools":[${'1,'.repeat(100)}1],"model":"a"}`);
  if (found.kind === 'malformed') throw new Error(found.reason);
  expect(found.tooLong.has('tools')).toBe(true);
  expect(found.fields.get('tools')).toBeUndefined();
  expect(found.fields.get('model')).toEqual(['a']);
});

test('the memory of a chunk is not kept: the caller may write over it', () => {
  const fields = new JsonFields(WANTED);
  const chunk = Buffer.from('{"model":"abc');
  fields.feed(chunk);
  chunk.fill(0x78);
  fields.feed(Buffer.from('def"}'));
  expect(fields.last('model')).toBe('abcdef');
  expect(fields.complete).toBe(true);
});

test('200 MB go through in seconds', () => {
  const fields = new JsonFields(WANTED);
  const chunk = Buffer.from('x'.repeat(1 << 20));
  fields.feed(Buffer.from('{"a":"'));
  for (let n = 0; n < 200; n += 1) fields.feed(chunk);
  fields.feed(Buffer.from('","model":"m"}'));
  expect(fields.last('model')).toBe('m');
});
