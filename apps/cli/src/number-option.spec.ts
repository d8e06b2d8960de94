import { numberOption, numberWithin, rangeText } from './number-option';
import { UsageError } from './output';

const attempts = { low: 1, high: 8, whole: true };
const factor = { low: 0.001, high: 1, whole: false };

test.each([
  ['1', attempts, 1],
  ['8', attempts, 8],
  ['0.5', factor, 0.5],
  ['1', factor, 1],
])('%j is a number within %j', (text, range, value) => {
  expect(numberWithin(text, range)).toBe(value);
});

test.each(['', ' ', 'abc', '0', '9', '1.5', '-1', '+1', '0x2', '2e0', ' 2', '2 ', 'NaN', 'Infinity', '٣'])(
  '%j is no whole number from 1 to 8',
  (text) => {
    expect(numberWithin(text, attempts)).toBeUndefined();
    expect(() => numberOption('--max-attempts', text, attempts)).toThrow(
      new UsageError(`--max-attempts: expected a whole number from 1 to 8, got ${JSON.stringify(text)}`),
    );
  },
);

test('a bound that is only the largest number there is goes unsaid', () => {
  expect(rangeText({ low: 1, high: Number.MAX_SAFE_INTEGER, whole: true })).toBe('expected a whole number from 1');
});
