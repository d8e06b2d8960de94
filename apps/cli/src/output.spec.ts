import { table } from './output';

test('columns are as wide as their widest cell', () => {
  expect(
    table([
      ['A', 'LONG', 'C'],
      ['aaa', 'b', ''],
    ]),
  ).toBe('A    LONG  C\naaa  b');
});

test('no rows are no text', () => {
  expect(table([])).toBe('');
});
