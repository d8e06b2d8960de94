import { randomUUID } from 'node:crypto';
import type { RunId } from '@assay/contracts';
import { aManifest, completedTrial, digestOf, failedTrial, workKey } from '@assay/testing';
import { traceIdOf } from '@assay/telemetry';
import { WorkBench, type HeldWork } from '../harness/work-bench';
import { liveLeases } from '../index';

// Design section 3a, "claim" and "who raises the epoch".

let bench: WorkBench;
let runId: RunId;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  await bench.reset();
  runId = await bench.submit({ manifest: aManifest({ instances: ['i-1', 'i-2'] }) });
});
const trial = () => workKey(runId);

describe('a grant', () => {
  test('issues the first epoch, opens the attempt as GRANTED and counts nothing yet', async () => {
    const granted = await bench.grant(trial(), { worker: 'w-7' });
    expect(granted).toMatchObject({ epoch: 1, attempt: 1, leaseMs: 90_000 });
    expect(await bench.tries('trial', runId)).toMatchObject([
      { id: granted.attemptId, state: 'GRANTED', epoch: 1, number: 1, worker: 'w-7', claim_id: granted.claimId },
    ]);
    expect(await bench.item(trial())).toMatchObject({ epoch: 1, tries: 0, state: 'OPEN' });
    expect(await bench.instance(trial())).toMatchObject({ state: 'QUEUED', attempts: 0 });
  });

  test('carries the work as the frozen manifest has it', async () => {
    const { spec } = await bench.grant(workKey(runId, 'trial', 'i-2'));
    expect(spec).toMatchObject({
      kind: 'trial',
      instance: { id: 'i-2' },
      sandbox: 'process',
      history: 'cut',
      publishesScore: false,
    });
  });

  test('holds for a full lease from now by the clock of the database', async () => {
    const before = Date.now();
    const { deadline } = await bench.grant(trial());
    const leaseMs = new Date(deadline).getTime() - before;
    expect(leaseMs).toBeGreaterThan(89_000);
    expect(leaseMs).toBeLessThan(92_000);
  });

  test('sets the run RUNNING with the first one, once', async () => {
    await bench.grant(trial());
    const first = await bench.run(runId);
    expect(first).toMatchObject({ state: 'RUNNING' });
    await bench.grant(workKey(runId, 'trial', 'i-2'));
    expect((await bench.run(runId))['started_at']).toEqual(first['started_at']);
  });

  test('goes to one of ten that claim at the same moment; the others are told that it is held', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => bench.claim(trial(), { worker: `w-${index}` })),
    );
    expect(replies.map(({ answer }) => answer).sort()).toEqual(['granted', ...Array<string>(9).fill('held')]);
    expect(await bench.tries('trial', runId)).toHaveLength(1);
  });

  test('of a retry has a higher epoch and number, and stays in the trace of its instance', async () => {
    const root = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    runId = await bench.submit({ traceparent: root });
    const first = await bench.start(trial());
    await bench.record(first, failedTrial());
    const second = await bench.grant(trial());
    expect(second).toMatchObject({ epoch: 2, attempt: 2 });
    expect([first, second].map(({ traceparent }) => traceIdOf(traceparent ?? ''))).toEqual([
      'a'.repeat(32),
      'a'.repeat(32),
    ]);
    expect(first.traceparent).not.toBe(second.traceparent);
    const stored = await bench.tries('trial', runId);
    expect(stored.map(({ traceparent }) => traceparent)).toEqual([first.traceparent, second.traceparent]);
  });
});

describe('the same claimId', () => {
  test('gets the same grant while its epoch is current, however often it asks', async () => {
    const claimId = randomUUID();
    const first = await bench.claim(trial(), { claimId });
    for (const again of [await bench.claim(trial(), { claimId }), await bench.claim(trial(), { claimId })]) {
      expect(again).toEqual(first);
    }
    expect(await bench.tries('trial', runId)).toHaveLength(1);
  });

  test.each<[string, (held: HeldWork) => Promise<unknown>]>([
    ['was given back', (held) => bench.release(held)],
    ['ended', (held) => bench.record(held, failedTrial())],
    ['is done', (held) => bench.record(held, completedTrial())],
    ['was expired', () => bench.lapse(trial()).then(() => bench.expireAll())],
  ])('is lost when its try %s', async (_, end) => {
    const held = await bench.start(trial());
    await end(held);
    expect(await bench.claim(trial(), { claimId: held.claimId })).toEqual({ answer: 'lost' });
    expect(await bench.tries('trial', runId)).toHaveLength(1);
  });

  test('is lost when another was granted since', async () => {
    const held = await bench.start(trial());
    await bench.release(held);
    await bench.grant(trial(), { worker: 'w-2' });
    expect(await bench.claim(trial(), { claimId: held.claimId })).toEqual({ answer: 'lost' });
  });

  test('asked by two connections at once is granted once, and told to wait or granted the same the other time', async () => {
    const claimId = randomUUID();
    const replies = await Promise.all([bench.claim(trial(), { claimId }), bench.claim(trial(), { claimId })]);
    const epochs = new Set(replies.flatMap((reply) => (reply.answer === 'granted' ? [reply.epoch] : [])));
    expect([...epochs]).toEqual([1]);
    expect(await bench.tries('trial', runId)).toHaveLength(1);
  });
});

describe('no grant, and nothing changes:', () => {
  test('done for work that ended, and for work that never was', async () => {
    const held = await bench.start(trial());
    await bench.record(held, completedTrial());
    expect(await bench.claim(trial())).toEqual({ answer: 'done' });
    expect(await bench.claim(workKey(runId, 'grade', 'i-2'))).toEqual({ answer: 'done' });
  });

  test('waiting before it is due', async () => {
    await bench.set(trial(), "run_at = now() + interval '1 minute'");
    expect(await bench.claim(trial())).toEqual({ answer: 'waiting' });
  });

  test('held for the rest of the lease and up to a tenth more', async () => {
    await bench.grant(trial());
    const reply = await bench.claim(trial(), { worker: 'w-2' });
    expect(reply).toMatchObject({ answer: 'held' });
    const { retryInMs } = reply as { retryInMs: number };
    expect(retryInMs).toBeGreaterThan(85_000);
    expect(retryInMs).toBeLessThan(99_100);
  });

  test('refused for thirty seconds while the run is paused', async () => {
    await bench.database.query('update runs set paused = true where id = $1', [runId]);
    expect(await bench.claim(trial())).toEqual({
      answer: 'refused',
      reason: 'the run is paused',
      retryInMs: 30_000,
    });
  });

  test('refused for a worker of another build than the frozen one', async () => {
    const frozen = digestOf('frozen build');
    runId = await bench.submit({ manifest: aManifest({ buildDigest: frozen }) });
    expect(await bench.claim(trial(), { buildDigest: digestOf('other build') })).toMatchObject({
      answer: 'refused',
      reason: expect.stringContaining(frozen) as string,
      retryInMs: 30_000,
    });
    expect(await bench.claim(trial(), { buildDigest: frozen })).toMatchObject({ answer: 'granted' });
  });

  test('refused for a busy worker where an idle one is wanted', async () => {
    await bench.set(trial(), 'wants_idle = true');
    expect(await bench.claim(trial(), { idle: false })).toMatchObject({ answer: 'refused' });
    expect(await bench.claim(trial(), { idle: true })).toMatchObject({ answer: 'granted' });
  });
});

describe('a lease that lapsed and was not expired', () => {
  test('is held, not granted, in a quiet period', async () => {
    await bench.start(trial());
    await bench.lapse(trial());
    expect(await bench.claim(trial(), { worker: 'w-2' }, false)).toEqual({ answer: 'held', retryInMs: 10_000 });
    expect(await bench.item(trial())).toMatchObject({ epoch: 1, expired: false });
  });

  test('is named as lapsed otherwise, with its epoch, so that it is expired first', async () => {
    await bench.start(trial());
    await bench.lapse(trial());
    expect(await bench.claim(trial(), { worker: 'w-2' })).toEqual({ answer: 'lapsed', epoch: 1 });
  });

  test('still belongs to its own claim', async () => {
    const held = await bench.start(trial());
    await bench.lapse(trial());
    expect(await bench.claim(trial(), { claimId: held.claimId })).toMatchObject({ answer: 'granted', epoch: 1 });
  });
});

test('the leases that live are those that nobody ended, with their epochs', async () => {
  const [ended, expired] = [await bench.start(trial()), await bench.start(workKey(runId, 'trial', 'i-2'))];
  expect(await liveLeases(bench.database)).toEqual([
    { key: ended.key, epoch: 1 },
    { key: expired.key, epoch: 1 },
  ]);
  await bench.record(ended, completedTrial());
  await bench.lapse(expired.key);
  expect(await liveLeases(bench.database)).toEqual([{ key: expired.key, epoch: 1 }]);
  await bench.expireAll();
  expect(await liveLeases(bench.database)).toEqual([]);
});
