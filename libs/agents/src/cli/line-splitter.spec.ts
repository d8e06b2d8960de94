import fc from 'fast-check';
import { LineSplitter } from './line-splitter';

function split(chunks: readonly Buffer[], longest?: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), longest);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

test('lines are the same whatever the pieces they come in, inside a character too', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat(40)), (parts, cuts) => {
      const text = parts.map((part) => part.replace(/[\r\n]/g, '')).join('\n');
      const bytes = Buffer.from(text);
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
      const expected = text.split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect(split(chunks)).toEqual(expected);
    }),
  );
});

test('the last line needs no end, and a carriage return before it is no part of a line', () => {
  expect(split([Buffer.from('a\r\n\nb')])).toEqual(['a', '', 'b']);
  expect(split([])).toEqual([]);
});

test('what is longer than is kept is cut and marked, and the next line is whole again', () => {
  expect(split([Buffer.from('abcdef'), Buffer.from('gh\nxyz\n')], 4)).toEqual(['abcd[4 characters left out]', 'xyz']);
});
