import { applyInTime, applySeconds } from './apply-in-time';

const never = (): Promise<never> => new Promise(() => undefined);
const running = (): AbortSignal => new AbortController().signal;

test('a patch gets as long as the tests may take, from two to fifteen minutes', () => {
  expect([1, 120, 600, 900, 7_200].map(applySeconds)).toEqual([120, 120, 600, 900, 900]);
});

test.each([
  ['trial', 'infra'],
  ['prediction', 'task'],
] as const)('the patch of a %s that is not applied in time is the fault of %s', async (origin, blame) => {
  const applying = applyInTime({ origin, seconds: 0.01, signal: running() }, never);
  await expect(applying).rejects.toMatchObject({ blame, code: 'patch_apply_timed_out', details: { seconds: 0.01 } });
});

test('whoever applies is told of the bound', async () => {
  let told: unknown = null;
  const apply = (signal: AbortSignal): Promise<never> => {
    signal.addEventListener('abort', () => {
      told = signal.reason;
    });
    return never();
  };
  const applying = applyInTime({ origin: 'trial', seconds: 0.01, signal: running() }, apply);
  await expect(applying).rejects.toBe(await applying.catch(() => told));
});

test('the end of the grade ends it at once with its own reason, also before it began', async () => {
  const stop = new AbortController();
  const applying = applyInTime({ origin: 'trial', seconds: 60, signal: stop.signal }, never);
  stop.abort(new Error('cancelled'));
  await expect(applying).rejects.toThrow('cancelled');
  await expect(applyInTime({ origin: 'trial', seconds: 60, signal: stop.signal }, never)).rejects.toThrow('cancelled');
});

test('what comes of it in time, good or bad, is told', async () => {
  const bound = { origin: 'trial', seconds: 60, signal: running() } as const;
  expect(await applyInTime(bound, () => Promise.resolve('git apply'))).toBe('git apply');
  await expect(applyInTime(bound, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
