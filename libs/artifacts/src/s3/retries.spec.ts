import { withPatience } from './retries';

const passing = (error: unknown): boolean => String(error).includes('passing');

/** Fails with each of `errors` in turn, then resolves; counts its calls. */
function failing(...errors: string[]) {
  const work = jest.fn(() => {
    const error = errors.shift();
    return error === undefined ? Promise.resolve('done') : Promise.reject(new Error(error));
  });
  return work;
}

test('what works at once is done once', async () => {
  const work = failing();
  expect(await withPatience({ tries: 3, firstPauseMs: 1 }, passing, work)).toBe('done');
  expect(work).toHaveBeenCalledTimes(1);
});

test('what passes is tried again, as often as allowed', async () => {
  expect(await withPatience({ tries: 3, firstPauseMs: 1 }, passing, failing('passing', 'passing'))).toBe('done');
  const work = failing('passing 1', 'passing 2', 'passing 3', 'passing 4');
  await expect(withPatience({ tries: 3, firstPauseMs: 1 }, passing, work)).rejects.toThrow('passing 3');
  expect(work).toHaveBeenCalledTimes(3);
});

test('what fails for good is told at once', async () => {
  const work = failing('passing', 'for good', 'passing');
  await expect(withPatience({ tries: 5, firstPauseMs: 1 }, passing, work)).rejects.toThrow('for good');
  expect(work).toHaveBeenCalledTimes(2);
});

test('pauses double, and are shortened by at most a half', async () => {
  const begun = performance.now();
  await withPatience({ tries: 4, firstPauseMs: 40 }, passing, failing('passing', 'passing', 'passing'));
  expect(performance.now() - begun).toBeGreaterThanOrEqual((40 + 80 + 160) / 2 - 5);
});
