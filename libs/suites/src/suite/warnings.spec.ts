import { groupedWarnings } from './warnings';

test('a sentence is told once, with up to three of the instances that it concerns', () => {
  expect(
    groupedWarnings([
      ['a', ['x', 'x', 'y']],
      ['b', ['x']],
      ['c', ['x']],
      ['d', []],
      ['e', ['x']],
    ]),
  ).toEqual(['x (a, b, c and 1 more)', 'y (a)']);
});

test('nothing to tell is nothing', () => {
  expect(groupedWarnings([['a', []]])).toEqual([]);
});
