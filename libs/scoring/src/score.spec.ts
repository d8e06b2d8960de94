import { InstanceState, Score } from '@assay/contracts';
import fc from 'fast-check';
import { countsOf, percentOf, scorableOf, scoreOf, wilson95 } from './index';

const counts = (resolved: number, unresolved: number, executionError = 0, infraFailed = 0, cancelled = 0) => ({
  total: resolved + unresolved + executionError + infraFailed + cancelled,
  resolved,
  unresolved,
  executionError,
  infraFailed,
  cancelled,
});

describe('a score', () => {
  test('of 332/107/56/5 is 75.63 % of valid, 66.4 % of all, and lies between 66.4 and 78.6 %', () => {
    expect(scoreOf(counts(332, 107, 56, 5))).toEqual({
      percent: 75.63,
      scorable: 439,
      percentOfAll: 66.4,
      percentAtMost: 78.6,
      coveragePercent: 87.8,
      wilson95: { low: 71.4, high: 79.41 },
    });
  });

  test('of 377/118/2/3 is 76.16 %', () => {
    expect(scoreOf(counts(377, 118, 2, 3))).toMatchObject({ percent: 76.16, scorable: 495, percentOfAll: 75.4 });
  });

  test('does not exist where nothing is scorable', () => {
    expect(scoreOf(counts(0, 0, 1, 0))).toBeNull();
    expect(scoreOf(counts(0, 0))).toBeNull();
  });

  test('counts a cancelled instance as possible at most, never as zero', () => {
    expect(scoreOf(counts(1, 1, 0, 0, 2))).toMatchObject({ percent: 50, percentOfAll: 25, percentAtMost: 75 });
  });

  test('fits its schema, and its numbers keep their order', () => {
    const amount = fc.nat(2000);
    fc.assert(
      fc.property(amount, amount, amount, amount, amount, (...amounts) => {
        const all = counts(...amounts);
        const score = scoreOf(all);
        if (score === null) {
          expect(scorableOf(all)).toBe(0);
          return;
        }
        expect(Score.parse(score)).toEqual(score);
        expect(score.wilson95.low).toBeLessThanOrEqual(score.percent);
        expect(score.percent).toBeLessThanOrEqual(score.wilson95.high);
        expect(score.percentOfAll).toBeLessThanOrEqual(score.percent);
        expect(score.percent).toBeLessThanOrEqual(score.percentAtMost);
      }),
    );
  });
});

describe('a percentage', () => {
  test.each([
    [1, 3, 33.33],
    [2, 3, 66.67],
    [1, 800, 0.13], // 0.125 exactly: half goes up
    [57, 20_000, 0.29], // 0.285 exactly, which is less than that as a float
    [201, 20_000, 1.01], // 1.005
    [0, 7, 0],
    [7, 7, 100],
    [19_999, 20_000, 100], // 99.995
  ])('%d of %d is %d %%', (part, whole, expected) => {
    expect(percentOf(part, whole)).toBe(expected);
  });

  test('is exact to half a hundredth, whatever the numbers', () => {
    const pair = fc
      .integer({ min: 1, max: 100_000 })
      .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
    fc.assert(
      fc.property(pair, ([part, whole]) => {
        const hundredths = BigInt(Math.round(percentOf(part, whole) * 100));
        // 2 * |hundredths/10000 - part/whole| <= 1/10000, in integers; the lower edge belongs to the number below.
        const off = 2n * (hundredths * BigInt(whole) - 10_000n * BigInt(part));
        expect(off <= BigInt(whole) && off > -BigInt(whole)).toBe(true);
        expect(percentOf(part, whole).toFixed(2)).toBe((Number(hundredths) / 100).toFixed(2));
      }),
    );
  });

  test.each([
    [1, 0],
    [0, 0],
    [2, 1],
    [-1, 3],
    [0.5, 1],
  ])('of %d in %d is refused', (part, whole) => {
    expect(() => percentOf(part, whole)).toThrow(RangeError);
  });
});

describe('the Wilson interval', () => {
  // Recomputed in double precision by another program; 1/1 as published for one smoke run (20.7 to 100).
  test.each([
    [1, 1, 20.65, 100],
    [379, 500, 71.86, 79.35],
    [50, 89, 45.83, 66.02],
    [0, 10, 0, 27.75],
    [10, 10, 72.25, 100],
    [5, 10, 23.66, 76.34],
    [0, 0, 0, 100],
  ])('of %d in %d is %d to %d', (successes, n, low, high) => {
    const interval = wilson95(successes, n);
    expect(interval).toEqual({ low, high });
  });

  test('holds the share itself, stays in bounds, and is a mirror of its complement', () => {
    const pair = fc
      .integer({ min: 1, max: 10_000 })
      .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
    fc.assert(
      fc.property(pair, ([k, n]) => {
        const { low, high } = wilson95(k, n);
        const mirrored = wilson95(n - k, n);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(100);
        expect(low).toBeLessThanOrEqual(percentOf(k, n));
        expect(high).toBeGreaterThanOrEqual(percentOf(k, n));
        expect(mirrored.low).toBeCloseTo(100 - high, 1);
      }),
    );
  });

  test('of more successes than tries is refused', () => {
    expect(() => wilson95(2, 1)).toThrow(RangeError);
  });
});

test('counts of states name each terminal state, and count open ones in the total alone', () => {
  expect(countsOf(InstanceState.options)).toEqual({
    total: 11,
    resolved: 1,
    unresolved: 1,
    executionError: 1,
    infraFailed: 1,
    cancelled: 1,
  });
});
