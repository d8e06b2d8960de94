import { CircuitBreaker } from './circuit-breaker';

const POLICY = { failures: 3, openMs: 1000, longestOpenMs: 5000 };
const REASON = 'the provider answered 503: it failed';

function breakerWith(openTrials = 2): {
  breaker: CircuitBreaker;
  fail: (trial: string, now?: number, more?: { probe?: boolean; retryAfterMs?: number | null }) => void;
} {
  const breaker = new CircuitBreaker(POLICY);
  return {
    breaker,
    fail: (trial, now = 0, { probe = false, retryAfterMs = null } = {}) => {
      breaker.failed({ now, trial, openTrials, probe, reason: REASON, retryAfterMs });
    },
  };
}

test('it opens after so many failures in a row over trials, and says why and until when', () => {
  const { breaker, fail } = breakerWith();
  fail('a');
  fail('b');
  expect(breaker.health(0)).toEqual({ state: 'closed' });
  fail('a', 10);
  expect(breaker.health(10)).toEqual({ state: 'open', reason: REASON, until: new Date(1010) });
  expect(breaker.admit(500)).toEqual({ go: false, retryAt: 1010 });
});

test('a success in between starts the count anew', () => {
  const { breaker, fail } = breakerWith();
  fail('a');
  fail('b');
  breaker.succeeded();
  fail('a');
  fail('b');
  expect(breaker.health(0).state).toBe('closed');
});

test('one trial alone does not open it while others are open: its prompt may be at fault', () => {
  const { breaker, fail } = breakerWith();
  for (let n = 0; n < 10; n += 1) fail('a');
  expect(breaker.health(0).state).toBe('closed');
  fail('b');
  expect(breaker.health(0).state).toBe('open');
});

test('the only trial there is does open it', () => {
  const { breaker, fail } = breakerWith(1);
  for (let n = 0; n < 3; n += 1) fail('a');
  expect(breaker.health(0).state).toBe('open');
});

function opened(): ReturnType<typeof breakerWith> {
  const it = breakerWith();
  for (const trial of ['a', 'b', 'c']) it.fail(trial);
  return it;
}

test('when its time is over one probe goes, and nobody else until it is back', () => {
  const { breaker } = opened();
  expect(breaker.health(1000)).toEqual({ state: 'half_open', reason: REASON });
  expect(breaker.admit(1000)).toEqual({ go: true, probe: true });
  expect(breaker.admit(1000)).toEqual({ go: false, retryAt: 2000 });
  breaker.succeeded();
  expect(breaker.admit(1000)).toEqual({ go: true, probe: false });
  expect(breaker.health(1000)).toEqual({ state: 'closed' });
});

test('each probe that fails doubles the time, up to a bound', () => {
  const { breaker, fail } = opened();
  let now = 1000;
  const untils = Array.from({ length: 4 }, () => {
    expect(breaker.admit(now)).toEqual({ go: true, probe: true });
    fail('a', now, { probe: true });
    const health = breaker.health(now);
    const until = health.state === 'open' ? health.until.getTime() : 0;
    const open = until - now;
    now = until;
    return open;
  });
  expect(untils).toEqual([2000, 4000, 5000, 5000]);
});

test('a probe whose client went away lets another one probe', () => {
  const { breaker } = opened();
  breaker.admit(1000);
  breaker.abandoned(true);
  expect(breaker.admit(1000)).toEqual({ go: true, probe: true });
});

test('failures of tries that began before it opened change nothing', () => {
  const { breaker, fail } = opened();
  fail('d', 900);
  expect(breaker.health(900)).toEqual({ state: 'open', reason: REASON, until: new Date(1000) });
  breaker.admit(1000);
  breaker.abandoned(false);
  expect(breaker.admit(1000).go).toBe(false);
});

test('what the provider asked for is waited for, within the bound', () => {
  const { breaker, fail } = breakerWith();
  fail('a');
  fail('b');
  fail('c', 0, { retryAfterMs: 4000 });
  expect(breaker.health(0)).toMatchObject({ until: new Date(4000) });
  const other = breakerWith();
  other.fail('a');
  other.fail('b');
  other.fail('c', 0, { retryAfterMs: 3_600_000 });
  expect(other.breaker.health(0)).toMatchObject({ until: new Date(5000) });
});
