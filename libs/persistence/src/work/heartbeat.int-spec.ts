import type { RunId } from '@assay/contracts';
import { aManifest, completedTrial, failedTrial, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';

// Design section 3a, "heartbeat" and "release".

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

describe('a heartbeat', () => {
  test('accepted for the first time makes the attempt STARTED and counts it; the next ones do not count', async () => {
    const held = await bench.grant(trial());
    expect(await bench.beat(held)).toMatchObject({ answer: 'ok', started: true });
    expect(await bench.beat(held, 'RUNNING_AGENT')).toMatchObject({ answer: 'ok', started: false });
    expect(await bench.tries('trial', runId)).toMatchObject([{ state: 'STARTED' }]);
    expect(await bench.item(trial())).toMatchObject({ tries: 1 });
    expect(await bench.instance(trial())).toMatchObject({ attempts: 1 });
  });

  test('delivered three times at once counts once', async () => {
    const held = await bench.grant(trial());
    const replies = await Promise.all([bench.beat(held), bench.beat(held), bench.beat(held)]);
    expect(replies.filter(({ started }) => started)).toHaveLength(1);
    expect(replies.map(({ answer }) => answer)).toEqual(['ok', 'ok', 'ok']);
    expect(await bench.item(trial())).toMatchObject({ tries: 1 });
    expect(await bench.instance(trial())).toMatchObject({ attempts: 1 });
  });

  test.each(['PREPARING', 'RUNNING_AGENT', 'UPLOADING'] as const)(
    'shows %s as the state of its instance',
    async (phase) => {
      const held = await bench.grant(trial());
      await bench.beat(held, phase);
      expect(await bench.instance(trial())).toMatchObject({ state: phase });
      expect(await bench.instance(workKey(runId, 'trial', 'i-2'))).toMatchObject({ state: 'QUEUED' });
    },
  );

  test('of a grade shows GRADING and counts no attempt of the instance', async () => {
    await bench.record(await bench.start(trial()), completedTrial());
    const grade = await bench.start(workKey(runId, 'grade'));
    expect(await bench.instance(trial())).toMatchObject({ state: 'GRADING', attempts: 1 });
    expect(await bench.item(grade.key)).toMatchObject({ tries: 1 });
  });

  test('extends the lease by its full length', async () => {
    const held = await bench.grant(trial());
    await bench.set(trial(), "lease_until = now() + interval '1 second'");
    const { deadline } = (await bench.beat(held)) as { deadline: string };
    expect((await bench.item(trial())).lease_until?.toISOString()).toBe(deadline);
    expect(new Date(deadline).getTime() - Date.now()).toBeGreaterThan(88_000);
  });

  test('revives a lease that lapsed as long as nobody expired it', async () => {
    const held = await bench.start(trial());
    await bench.lapse(trial());
    expect(await bench.beat(held)).toMatchObject({ answer: 'ok' });
    expect(await bench.expireAll()).toEqual([]);
  });

  test('is lost after expiry, after release, after the result, and with another claim or epoch', async () => {
    const held = await bench.start(trial());
    expect(await bench.beat({ ...held, epoch: 2 })).toMatchObject({ answer: 'lost' });
    const other = await bench.start(workKey(runId, 'trial', 'i-2'));
    expect(await bench.beat({ ...held, claimId: other.claimId })).toMatchObject({ answer: 'lost' });
    await bench.release(other);
    expect(await bench.beat(other)).toMatchObject({ answer: 'lost' });
    await bench.lapse(trial());
    await bench.expireAll();
    expect(await bench.beat(held)).toMatchObject({ answer: 'lost' });
    const again = await bench.start(trial());
    await bench.record(again, completedTrial());
    expect(await bench.beat(again)).toMatchObject({ answer: 'lost' });
  });

  test('that is lost changes nothing: neither lease nor state nor counts', async () => {
    const held = await bench.start(trial());
    await bench.release(held);
    const next = await bench.start(trial(), { worker: 'w-2' });
    const before = [await bench.item(trial()), await bench.instance(trial())];
    await bench.beat(held, 'UPLOADING');
    expect([await bench.item(trial()), await bench.instance(trial())]).toEqual(before);
    expect(next.epoch).toBe(3);
  });
});

describe('a release', () => {
  test('queues the work again at once, raises the epoch and does not count the attempt', async () => {
    const held = await bench.start(trial());
    expect(await bench.release(held)).toEqual({ answer: 'ok' });
    expect(await bench.item(trial())).toMatchObject({ state: 'OPEN', epoch: 2, tries: 0, lease_until: null });
    expect(await bench.instance(trial())).toMatchObject({ state: 'QUEUED', attempts: 0 });
    expect(await bench.tries('trial', runId)).toMatchObject([{ state: 'RELEASED' }]);
    expect(await bench.claim(trial())).toMatchObject({ answer: 'granted', epoch: 3, attempt: 1 });
  });

  test('before the first heartbeat leaves the counts alone', async () => {
    await bench.release(await bench.grant(trial()));
    expect(await bench.item(trial())).toMatchObject({ tries: 0 });
    expect(await bench.instance(trial())).toMatchObject({ attempts: 0 });
  });

  test('delivered three times releases once and is accepted each time', async () => {
    const held = await bench.start(trial());
    for (const _ of [1, 2, 3]) expect(await bench.release(held)).toEqual({ answer: 'ok' });
    expect(await bench.item(trial())).toMatchObject({ epoch: 2, tries: 0 });
    expect((await bench.events(runId)).filter((type) => type === 'trial.released')).toHaveLength(1);
  });

  test('leaves its message to the stream: no wake-up is queued, and the work counts as published', async () => {
    const lines = await bench.unsent();
    await bench.release(await bench.start(trial()));
    expect(await bench.unsent()).toEqual(lines);
    expect((await bench.item(trial())).published_at).not.toBeNull();
  });

  test('of a grade leaves its instance GRADING', async () => {
    await bench.record(await bench.start(trial()), completedTrial());
    await bench.release(await bench.start(workKey(runId, 'grade')));
    expect(await bench.instance(trial())).toMatchObject({ state: 'GRADING', attempts: 1 });
    expect(await bench.item(workKey(runId, 'grade'))).toMatchObject({ tries: 0, epoch: 2 });
  });

  test('by a former holder is refused and changes nothing', async () => {
    const held = await bench.start(trial());
    await bench.record(held, failedTrial());
    const next = await bench.start(trial(), { worker: 'w-2' });
    expect(await bench.release(held)).toMatchObject({ answer: 'lost' });
    expect(await bench.beat(next)).toMatchObject({ answer: 'ok' });
  });
});
