import type { ArtifactRef, RunId, WorkKey } from '@assay/contracts';
import {
  aFailure,
  aManifest,
  anArtifact,
  completedTrial,
  digestOf,
  failedTrial,
  graded,
  verifiedPublication,
  workKey,
  writtenPublication,
} from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import { getRun } from '../index';

// Design section 3a, "publication".

let bench: WorkBench;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

const RELEASE = { repository: 'example/agent', id: 7, tag: 'v1.0.0' };

interface FinishedSeed {
  readonly suite?: string;
  readonly releaseId?: number;
}

/** A run with one resolved instance whose publication is due. */
async function finished({ suite = 'demo', releaseId = 7 }: FinishedSeed = {}): Promise<WorkKey> {
  const manifest = aManifest({ suite: { name: suite } });
  const runId = await bench.submit({ manifest, release: { ...RELEASE, id: releaseId } });
  return finish(runId);
}

async function finish(runId: RunId): Promise<WorkKey> {
  await bench.record(await bench.start(workKey(runId)), completedTrial());
  await bench.record(await bench.start(workKey(runId, 'grade')), graded());
  return workKey(runId, 'publication');
}

const publication = async ({ runId }: WorkKey): Promise<Record<string, unknown> | undefined> =>
  (await bench.database.query<Record<string, unknown>>('select * from publications where run_id = $1', [runId]))[0];
const failed = { kind: 'failed' as const, failure: aFailure('infra', 'github_unreachable') };

async function write(key: WorkKey, block = 'block'): Promise<void> {
  await bench.record(await bench.start(key), writtenPublication(block));
}

async function publish(key: WorkKey): Promise<void> {
  await write(key);
  await bench.makeDue(key);
  await bench.record(await bench.start(key), verifiedPublication());
}

describe('writing', () => {
  test('is granted with the run’s public result and its place', async () => {
    const key = await finished();
    expect((await bench.grant(key)).spec).toMatchObject({
      kind: 'publication',
      phase: 'write',
      repository: 'example/agent',
      releaseId: 7,
      tag: 'v1.0.0',
      blockDigest: null,
      result: { runId: key.runId, status: 'SUCCEEDED' },
    });
  });

  test('makes it WRITTEN, not PUBLISHED: it is read again one lease later', async () => {
    const key = await finished();
    const { next } = await bench.record(await bench.start(key), writtenPublication());
    expect(next).toBe('verify');
    expect(await publication(key)).toMatchObject({
      state: 'WRITTEN',
      block_digest: digestOf('block'),
      assets: [{ name: 'assay-result.json', url: 'http://127.0.0.1/asset', digest: digestOf('asset'), size: 5 }],
      previous_body: 'Notes of a human.',
    });
    expect(await bench.run(key.runId)).toMatchObject({ publication_state: 'WRITTEN' });
    expect(await bench.claim(key)).toEqual({ answer: 'waiting' });
    expect((await bench.unsent()).at(-1)).toMatchObject({ seconds: 90 });
  });

  test('and finding it whole later makes it PUBLISHED and done', async () => {
    const key = await finished();
    await write(key);
    await bench.makeDue(key);
    const second = await bench.start(key);
    expect(second.spec).toMatchObject({
      phase: 'verify',
      blockDigest: digestOf('block'),
      assetNames: ['assay-result.json'],
    });
    expect((await bench.record(second, verifiedPublication())).next).toBe('PUBLISHED');
    expect(await bench.run(key.runId)).toMatchObject({ publication_state: 'PUBLISHED', last_error: null });
    expect(await bench.item(key)).toMatchObject({ state: 'DONE' });
  });

  test('keeps the body of before the first write', async () => {
    const key = await finished();
    await write(key);
    await bench.makeDue(key);
    await bench.record(await bench.start(key), failed);
    await bench.makeDue(key);
    const again = { ...writtenPublication(), previousBody: 'Notes and our block.' };
    await bench.record(await bench.start(key), again);
    expect(await publication(key)).toMatchObject({ previous_body: 'Notes of a human.' });
  });
});

describe('failing', () => {
  test('is tried again for ever, with growing waits up to ten minutes, and the last error is kept', async () => {
    const key = await finished();
    const waits = [];
    for (let number = 1; number <= 9; number += 1) {
      await bench.makeDue(key);
      await bench.database.query('delete from outbox');
      expect((await bench.record(await bench.start(key), failed)).next).toBe('retry');
      waits.push((await bench.unsent())[0]?.seconds);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
    expect(await bench.run(key.runId)).toMatchObject({
      publication_state: 'PENDING',
      last_error: 'It was github_unreachable. (github_unreachable)',
    });
  });

  test('for want of room waits for somebody: the run says why and when it is looked at next, and then it goes on by itself', async () => {
    const key = await finished();
    const retryAt = async () => (await getRun(bench.database, key.runId))?.publicationRetryAt?.getTime() ?? null;
    expect(await retryAt()).toBeNull();
    const full = { kind: 'failed' as const, failure: aFailure('infra', 'release_body_too_long') };
    for (let number = 1; number <= 9; number += 1) {
      await bench.makeDue(key);
      await bench.record(await bench.start(key), full);
    }
    expect(((await retryAt()) ?? 0) - Date.now()).toBeGreaterThan(500_000);
    expect(((await retryAt()) ?? 0) - Date.now()).toBeLessThanOrEqual(600_000);
    expect(await getRun(bench.database, key.runId)).toMatchObject({
      publicationState: 'PENDING',
      lastError: 'It was release_body_too_long. (release_body_too_long)',
    });
    await bench.makeDue(key);
    const held = await bench.start(key);
    expect(await retryAt()).toBeNull();
    await bench.record(held, writtenPublication());
    expect(await getRun(bench.database, key.runId)).toMatchObject({ publicationState: 'WRITTEN', lastError: null });
  });

  test('for want of room gives way to a newer run, as ever', async () => {
    const key = await finished();
    const full = { kind: 'failed' as const, failure: aFailure('infra', 'release_body_too_long') };
    await bench.record(await bench.start(key), full);
    const newer = await finished();
    expect(await publication(key)).toMatchObject({ state: 'SUPERSEDED' });
    await publish(newer);
    expect(await publication(newer)).toMatchObject({ state: 'PUBLISHED' });
  });

  test('changes nothing of the run’s state and result', async () => {
    const key = await finished();
    const { state, result } = await bench.run(key.runId);
    await bench.record(await bench.start(key), failed);
    expect(await bench.run(key.runId)).toMatchObject({ state, result });
  });

  test('to read it back leads to writing again', async () => {
    const key = await finished();
    await write(key);
    await bench.makeDue(key);
    await bench.record(await bench.start(key), failed);
    await bench.makeDue(key);
    expect((await bench.grant(key)).spec).toMatchObject({ phase: 'write' });
  });

  test('of the worker itself: a lost lease has no last attempt, and the epoch fences the late one', async () => {
    const key = await finished();
    for (let round = 0; round < 6; round += 1) {
      await bench.start(key);
      await bench.lapse(key);
      expect(await bench.expireAll()).toEqual([{ next: 'retry', finished: null }]);
      await bench.makeDue(key);
    }
    const late = await bench.start(key);
    await bench.release(late);
    await bench.start(key, { worker: 'w-2' });
    expect((await bench.record(late, writtenPublication())).reply).toMatchObject({ answer: 'refused' });
    expect(await publication(key)).toMatchObject({ state: 'PENDING' });
  });

  test('delivered three times is recorded once', async () => {
    const key = await finished();
    const held = await bench.start(key);
    await bench.record(held, failed);
    for (const _ of [2, 3]) expect((await bench.record(held, failed)).reply.answer).toBe('already_recorded');
    expect(await publication(key)).toMatchObject({ tries: 1 });
  });
});

const REFUSED = { kind: 'refused', code: 'publication_refused', reason: 'publication is off' } as const;
const SHOWN = { kind: 'dry_run', reason: 'a dry run', difference: anArtifact('difference') } as const;

describe('what may not be written', () => {
  test('is REFUSED for good, with the reason, and changes nothing of the run', async () => {
    const key = await finished();
    const { state, result } = await bench.run(key.runId);
    expect((await bench.record(await bench.start(key), REFUSED)).next).toBe('REFUSED');
    expect(await publication(key)).toMatchObject({ state: 'REFUSED', reason: 'publication is off' });
    expect(await bench.run(key.runId)).toMatchObject({ state, result, publication_state: 'REFUSED', last_error: null });
    expect(await bench.claim(key)).toEqual({ answer: 'done' });
    expect(await getRun(bench.database, key.runId)).toMatchObject({
      publicationReason: 'publication is off',
      publicationDifference: null,
    });
  });

  test('is shown in a DRY_RUN: the difference is an artifact of the run', async () => {
    const key = await finished();
    expect((await bench.record(await bench.start(key), SHOWN, [SHOWN.difference])).next).toBe('DRY_RUN');
    expect(await publication(key)).toMatchObject({ state: 'DRY_RUN', difference: SHOWN.difference });
    expect(await getRun(bench.database, key.runId)).toMatchObject({
      publicationState: 'DRY_RUN',
      publicationDifference: SHOWN.difference.digest,
    });
    expect(await bench.item(key)).toMatchObject({ state: 'DONE' });
  });

  test('delivered three times is recorded once', async () => {
    const key = await finished();
    const held = await bench.start(key);
    const answers = [];
    for (const _ of [1, 2, 3]) answers.push((await bench.record(held, REFUSED)).reply.answer);
    expect(answers).toEqual(['recorded', 'already_recorded', 'already_recorded']);
    expect((await bench.events(key.runId)).filter((type) => type === 'publication.refused')).toHaveLength(1);
  });

  test.each([REFUSED, SHOWN])('takes no older run’s place: $kind', async (outcome) => {
    const older = await finished();
    const newer = await finished();
    expect(await publication(older)).toMatchObject({ state: 'SUPERSEDED' });
    await bench.record(await bench.start(newer), outcome);
    expect(await bench.run(older.runId)).toMatchObject({ publication_state: 'PENDING' });
    await publish(older);
    expect(await publication(older)).toMatchObject({ state: 'PUBLISHED' });
  });

  test('nor that of one which ends later', async () => {
    const olderRun = await bench.submit({ release: RELEASE });
    await bench.record(await bench.start(await finished()), REFUSED);
    expect(await bench.claim(await finish(olderRun))).toMatchObject({ answer: 'granted' });
  });

  test('but a third run that was published between keeps its place', async () => {
    const first = await finished();
    const second = await finished();
    await publish(second);
    await bench.record(await bench.start(await finished()), REFUSED);
    expect(await publication(first)).toMatchObject({ state: 'SUPERSEDED' });
    expect(await publication(second)).toMatchObject({ state: 'PUBLISHED' });
  });
});

describe('the cases of an archive', () => {
  const blob = ({ digest, size }: ArtifactRef): object => ({ digest, size });

  test.each([
    ['both', { publishTrajectories: true, publishPatches: true }, { trajectory: true, patch: true }],
    ['trajectories alone', { publishTrajectories: true }, { trajectory: true, patch: false }],
    ['patches alone', { publishPatches: true }, { trajectory: false, patch: true }],
  ])('hold %s where the suite says so, of the attempt that counts', async (_what, suite, wanted) => {
    const runId = await bench.submit({ manifest: aManifest({ suite, retry: { maxAttempts: 2 } }), release: RELEASE });
    const lost = [anArtifact('trajectory', 'of a trial that failed')];
    await bench.record(await bench.start(workKey(runId)), failedTrial(), lost);
    await bench.makeDue(workKey(runId));
    const key = await finish(runId);
    const { spec } = await bench.grant(key);
    expect(spec).toMatchObject({
      cases: [
        {
          instanceId: 'i-1',
          sample: 0,
          trajectory: wanted.trajectory ? blob(anArtifact('trajectory')) : null,
          patch: wanted.patch ? blob(anArtifact('patch')) : null,
        },
      ],
    });
    expect(JSON.stringify(spec)).not.toContain(digestOf('agent_log'));
  });

  test('are none where the suite lets nothing out', async () => {
    expect((await bench.grant(await finished())).spec).toMatchObject({ cases: [] });
  });
});

describe('one release', () => {
  test('is written by one at a time: another suite’s publication is held while the first is leased', async () => {
    const first = await finished({ suite: 'one' });
    const second = await finished({ suite: 'two' });
    const held = await bench.start(first);
    expect(await bench.claim(second)).toMatchObject({ answer: 'held' });
    await bench.record(held, writtenPublication());
    expect(await bench.claim(second)).toMatchObject({ answer: 'granted' });
  });

  test('is granted once when two claim it at the same moment', async () => {
    const keys = [await finished({ suite: 'one' }), await finished({ suite: 'two' })];
    const replies = await Promise.all(keys.map((key) => bench.claim(key)));
    expect(replies.map(({ answer }) => answer).sort()).toEqual(['granted', 'held']);
  });

  test('does not keep another release of the repository waiting', async () => {
    await bench.start(await finished({ suite: 'one' }));
    expect(await bench.claim(await finished({ suite: 'one', releaseId: 8 }))).toMatchObject({ answer: 'granted' });
  });
});

describe('the newest run of a release and suite wins', () => {
  test('an older one that is not written yet is superseded when the newer ends', async () => {
    const older = await finished();
    const newer = await finished();
    expect(await publication(older)).toMatchObject({ state: 'SUPERSEDED' });
    expect(await bench.run(older.runId)).toMatchObject({ publication_state: 'SUPERSEDED', state: 'SUCCEEDED' });
    expect(await bench.claim(older)).toEqual({ answer: 'done' });
    expect(await bench.claim(newer)).toMatchObject({ answer: 'granted' });
  });

  test('an older one that ends later is superseded at its claim', async () => {
    const olderRun = await bench.submit({ release: RELEASE });
    await finished();
    const older = await finish(olderRun);
    expect(await bench.claim(older)).toEqual({ answer: 'done' });
    expect(await publication(older)).toMatchObject({ state: 'SUPERSEDED' });
  });

  test('an older one that is being written is turned away when it ends', async () => {
    const older = await finished();
    const held = await bench.start(older);
    const newer = await finished();
    expect(await publication(older)).toMatchObject({ state: 'PENDING' });
    expect(await bench.claim(newer)).toMatchObject({ answer: 'held' });
    expect((await bench.record(held, writtenPublication())).next).toBe('SUPERSEDED');
    expect(await bench.claim(newer)).toMatchObject({ answer: 'granted' });
  });

  test('an older one that is PUBLISHED becomes superseded when the newer is', async () => {
    const older = await finished();
    await publish(older);
    const newer = await finished();
    expect(await publication(older)).toMatchObject({ state: 'PUBLISHED' });
    await publish(newer);
    expect(await publication(older)).toMatchObject({ state: 'SUPERSEDED' });
    expect(await publication(newer)).toMatchObject({ state: 'PUBLISHED' });
  });

  test('another suite’s on the same release stays', async () => {
    const other = await finished({ suite: 'other' });
    await publish(other);
    await publish(await finished());
    expect(await publication(other)).toMatchObject({ state: 'PUBLISHED' });
  });
});
