import { jittered, retryPauseMs } from './jitter.policy';

test('jitter adds up to a fifth and never takes away', () => {
  expect(jittered(1000, () => 0)).toBe(1000);
  expect(jittered(1000, () => 0.999)).toBe(1200);
  expect(jittered(0)).toBe(0);
});

test('pauses double from 250 ms to 5 s, and half of each is random', () => {
  const longest = [1, 2, 3, 4, 5, 6, 60].map((failures) => retryPauseMs(failures, () => 1));
  expect(longest).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
  const shortest = [1, 2, 60].map((failures) => retryPauseMs(failures, () => 0));
  expect(shortest).toEqual([125, 250, 2500]);
});
