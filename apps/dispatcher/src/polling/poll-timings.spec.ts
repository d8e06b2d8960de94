import { pollDelaySeconds, pollTimings } from './poll-timings.policy';

const timings = pollTimings(1);

test('the wait doubles with every failed look, up to five minutes', () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7, 100, 1_000_000].map((tries) => pollDelaySeconds(tries, null, timings));
  expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
});

test('what the other side asks for is honoured, however long', () => {
  expect(pollDelaySeconds(0, 3_600, timings)).toBe(3_600);
  expect(pollDelaySeconds(3, 7, timings)).toBe(40);
});

test('all waits scale together, and an idle poller never spins', () => {
  expect(pollTimings(0.1)).toEqual({ idleMs: 100, leaseSeconds: 6, firstDelaySeconds: 0.5, longestDelaySeconds: 30 });
  expect(pollTimings(0.0001).idleMs).toBe(20);
});
