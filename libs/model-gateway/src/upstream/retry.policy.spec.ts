import * as fc from 'fast-check';
import { DEFAULT_RETRIES, nextWaitMs, retryAfterMs } from './retry.policy';

const policy = { tries: 4, firstWaitMs: 1000, longestWaitMs: 3000, totalMs: 20_000 };

test.each([
  [1, 0, 500],
  [1, 0.999, 999.5],
  [2, 0, 1000],
  [3, 0, 1500],
  [4, 0, null],
])('after %s tries, random %s: %s ms', (tries, random, wait) => {
  expect(nextWaitMs(policy, { tries, elapsedMs: 0, retryAfterMs: null }, random)).toBe(wait);
});

test.each([
  [8000, 0, 8000],
  [8000, 12_000, 8000],
  [8000, 12_001, null],
  [0, 0, 500],
  [30_000, 0, null],
])('the provider asks for %s ms after %s: %s', (asked, elapsedMs, wait) => {
  expect(nextWaitMs(policy, { tries: 1, elapsedMs, retryAfterMs: asked }, 0)).toBe(wait);
});

test('no wait is shorter than what was asked for, and none goes beyond the bound', () => {
  const failed = fc.record({
    tries: fc.integer({ min: 1, max: 10 }),
    elapsedMs: fc.integer({ min: 0, max: 300_000 }),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 400_000 })),
  });
  fc.assert(
    fc.property(failed, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (after, random) => {
      const wait = nextWaitMs(DEFAULT_RETRIES, after, random);
      if (wait === null) return;
      expect(wait).toBeGreaterThanOrEqual(after.retryAfterMs ?? 0);
      expect(wait).toBeGreaterThan(0);
      expect(after.elapsedMs + wait).toBeLessThanOrEqual(DEFAULT_RETRIES.totalMs);
      expect(after.tries).toBeLessThan(DEFAULT_RETRIES.tries);
    }),
  );
});

test.each([
  ['3', 3000],
  [' 0 ', 0],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 9000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', null],
  [undefined, null],
])('Retry-After %s is %s ms, seen one second after the epoch', (header, ms) => {
  expect(retryAfterMs(header, 1000)).toBe(ms);
});
