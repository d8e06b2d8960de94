import { type FailureCode, InfraError } from '@assay/failures';
import { patiently } from './patience';

const failing = (code: FailureCode, details: Record<string, unknown> = {}) =>
  new InfraError(code, { code, phase: 'publish', details });

function run(failures: Error[], signal = new AbortController().signal) {
  const waits: number[] = [];
  let tries = 0;
  const work = (): Promise<string> => {
    const failure = failures[tries];
    tries += 1;
    return failure === undefined ? Promise.resolve('done') : Promise.reject(failure);
  };
  const onWait = (_error: unknown, ms: number) => {
    waits.push(ms);
  };
  return { waits, result: patiently(work, { signal, firstPauseMs: 1, onWait }), tries: () => tries };
}

test('a passing failure is tried again after growing pauses', async () => {
  const { result, waits } = run([failing('github_unavailable'), failing('github_unreachable')]);
  expect(await result).toBe('done');
  expect(waits).toEqual([1, 2]);
});

test('five tries, then the last failure is told', async () => {
  const { result, tries } = run(Array.from({ length: 9 }, () => failing('github_unavailable')));
  await expect(result).rejects.toThrow('github_unavailable');
  expect(tries()).toBe(5);
});

test('what GitHub asks for is waited, up to five minutes', async () => {
  const short = run([failing('github_rate_limited', { retryAfterMs: 3 })]);
  expect(await short.result).toBe('done');
  expect(short.waits).toEqual([3]);
  const long = run([failing('github_rate_limited', { retryAfterMs: 300_001 })]);
  await expect(long.result).rejects.toThrow('github_rate_limited');
  expect(long.waits).toEqual([]);
});

test.each(['github_auth_failed', 'github_not_found', 'release_mismatch', 'lease_lost'] as const)(
  '%s is told at once',
  async (code) => {
    const { result, tries } = run([failing(code)]);
    await expect(result).rejects.toThrow(code);
    expect(tries()).toBe(1);
  },
);

test('a wait ends at once, with the reason, when the work is stopped', async () => {
  const stop = new AbortController();
  const { result } = run([failing('github_rate_limited', { retryAfterMs: 200_000 })], stop.signal);
  const ended = expect(result).rejects.toThrow('stopped');
  stop.abort(new Error('stopped'));
  await ended;
});
