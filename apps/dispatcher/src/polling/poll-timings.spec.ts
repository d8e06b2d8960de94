import { packageWait, pollDelaySeconds, pollTimings } from './poll-timings.policy';

const packages = { packagePollSeconds: 30, packageLateSeconds: 600, packageWaitSeconds: 5_400 };
const timings = pollTimings(1, packages);

test('the wait doubles with every failed look, up to five minutes', () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7, 100, 1_000_000].map((tries) => pollDelaySeconds(tries, null, timings));
  expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
});

test('what the other side asks for is honoured, however long', () => {
  expect(pollDelaySeconds(0, 3_600, timings)).toBe(3_600);
  expect(pollDelaySeconds(3, 7, timings)).toBe(40);
});

test('all waits scale together but those that are configured, and an idle poller never spins', () => {
  expect(pollTimings(0.1, packages)).toEqual({
    idleMs: 100,
    leaseSeconds: 6,
    firstDelaySeconds: 0.5,
    longestDelaySeconds: 30,
    ...packages,
  });
  expect(pollTimings(0.0001, packages).idleMs).toBe(20);
});

describe('a package is looked for', () => {
  test.each([
    [null, { wait: 'again', delaySeconds: 30 }],
    [0, { wait: 'again', delaySeconds: 30 }],
    [5_370, { wait: 'again', delaySeconds: 30 }],
    // The last look is at the end of the budget.
    [5_395, { wait: 'again', delaySeconds: 5 }],
    [5_400, { wait: 'over' }],
    [9_999, { wait: 'over' }],
  ])('after %s seconds in vain: %j', (waited, wanted) => {
    expect(packageWait(waited, timings)).toEqual(wanted);
  });

  test('once where there is no time to wait', () => {
    expect(packageWait(null, { ...timings, packageWaitSeconds: 0 })).toEqual({ wait: 'over' });
  });
});
