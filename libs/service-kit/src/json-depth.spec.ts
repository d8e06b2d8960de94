import { refuseDeepJson } from './json-depth';
import { Refusal } from './refusal';

const check = (text: string) => {
  refuseDeepJson(null, null, Buffer.from(text));
};
const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test.each([
  ['64 levels', lists(64)],
  ['many lists beside each other', `[${Array.from({ length: 500 }, () => '[]').join(',')}]`],
  ['brackets in a text', `{"a":"${'['.repeat(500)}"}`],
  ['brackets after an escaped quote', String.raw`["\"${'{'.repeat(500)}"]`],
  ['a backslash at the end of a text', String.raw`["\\", []]`],
  ['brackets after signs of several bytes', `["é日😀${'['.repeat(500)}"]`],
  ['nothing', ''],
])('%s are fine', (_name, text) => {
  expect(() => {
    check(text);
  }).not.toThrow();
});

test.each([
  ['65 levels', lists(65)],
  ['objects in objects', '{"a":'.repeat(65)],
  ['both in turn', '[{"a":'.repeat(33)],
  ['levels that never end', '['.repeat(60_000)],
  ['levels after a text that ends in a backslash', String.raw`["\\",` + lists(65)],
])('%s are refused', (_name, text) => {
  expect(() => {
    check(text);
  }).toThrow(new Refusal(400, 'the JSON is nested deeper than 64 levels'));
});
