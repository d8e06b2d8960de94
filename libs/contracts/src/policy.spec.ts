import { DEFAULT_TIMINGS, RetryPolicy, scaleTimings } from './policy';

test('the production lease is 90 s with a heartbeat every 25 s and a sweep every 10 s', () => {
  expect(DEFAULT_TIMINGS).toMatchObject({ leaseMs: 90_000, heartbeatMs: 25_000, sweepMs: 10_000 });
});

test('scaling keeps the proportions', () => {
  const scaled = scaleTimings(0.1);
  expect(scaled.leaseMs).toBe(9_000);
  expect(scaled.heartbeatMs).toBe(2_500);
});

test('no scaled duration is shorter than 20 ms, and a request has at least half a second', () => {
  const scaled = scaleTimings(0.0001);
  expect(Math.min(...Object.values(scaled).map(Number))).toBe(20);
  expect(scaled.rpcTimeoutMs).toBe(500);
});

test('retries default to four attempts, 60 s apart at first', () => {
  expect(RetryPolicy.parse({})).toEqual({ maxAttempts: 4, backoffSeconds: 60 });
});

test.each([0, 9, 1.5])('%p attempts are refused', (maxAttempts) => {
  expect(RetryPolicy.safeParse({ maxAttempts }).success).toBe(false);
});
