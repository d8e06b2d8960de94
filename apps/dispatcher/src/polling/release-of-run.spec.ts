import type { RunRow } from '@assay/persistence';
import type { ReleaseAnswer } from '../releases/release-lookup.port';
import { RunFreezer } from './run-freezer';

const release = { repository: 'acme/agent', id: 1, tag: 'v1.0.0' };

/** Freezing a run whose release GitHub answers so of. */
function freeze(answer: ReleaseAnswer, run: object = {}): Promise<unknown> {
  const releases = { look: () => Promise.resolve(answer) };
  const freezer = new RunFreezer({ releases } as never);
  const row = { request: { release }, origin: null, pollTries: 0, ...run } as unknown as RunRow;
  return freezer.freeze(row, new AbortController().signal);
}

test('a release that contradicts its submission ends the run: no later look will help', async () => {
  await expect(freeze({ answer: 'wrong', reason: 'it is of another tag' })).rejects.toMatchObject({
    blame: 'task',
    code: 'release_wrong',
    message: 'it is of another tag',
  });
});

test.each<[ReleaseAnswer, number | null]>([
  [{ answer: 'missing', reason: 'release v1.0.0 is not there' }, null],
  [{ answer: 'not_yet', reason: 'GitHub lets us wait', retryAfterSeconds: 7 }, 7],
])('a release that is not seen yet is waited for: %j', async (answer, retryAfterSeconds) => {
  await expect(freeze(answer)).rejects.toMatchObject({
    blame: 'infra',
    code: 'release_not_there',
    details: { retryAfterSeconds },
  });
});
