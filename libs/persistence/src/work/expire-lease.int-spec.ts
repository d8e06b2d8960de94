import type { RunId } from '@assay/contracts';
import { aManifest, completedTrial, failedGrade, failedTrial, graded, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import { expireLease, lapsedLeases } from '../index';

// Design section 3a, "who raises the epoch" and the expiring half of "sweeper".

let bench: WorkBench;
let runId: RunId;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  await bench.reset();
  runId = await bench.submit({ manifest: aManifest({ retry: { backoffSeconds: 60 } }) });
});
const trial = () => workKey(runId);

async function startedAndLost(): ReturnType<WorkBench['start']> {
  const held = await bench.start(trial());
  await bench.lapse(trial());
  await bench.expireAll();
  return held;
}

test('a lease that lives is not lapsed and cannot be expired', async () => {
  await bench.start(trial());
  expect(await lapsedLeases(bench.database, 10)).toEqual([]);
  const lease = { key: trial(), epoch: 1 };
  expect(await bench.database.transaction((sql) => expireLease(sql, lease, bench.protocol))).toBeNull();
});

test('expiry marks the attempt LOST, which counts, and waits as after any fault of ours', async () => {
  const held = await bench.start(trial());
  await bench.lapse(trial());
  expect(await lapsedLeases(bench.database, 10)).toEqual([{ key: trial(), epoch: held.epoch }]);
  expect(await bench.expireAll()).toEqual([{ next: 'retry', finished: null }]);
  expect(await bench.tries('trial', runId)).toMatchObject([{ state: 'LOST' }]);
  expect(await bench.item(trial())).toMatchObject({ tries: 1, lease_until: null, expired: true });
  expect(await bench.instance(trial())).toMatchObject({
    state: 'RETRY_WAIT',
    attempts: 1,
    failure: { blame: 'infra', code: 'lease_lost' },
  });
  expect((await bench.unsent()).at(-1)).toMatchObject({ seconds: 60 });
});

test('expiry does not raise the epoch; the next grant does', async () => {
  await startedAndLost();
  expect(await bench.item(trial())).toMatchObject({ epoch: 1 });
  await bench.makeDue(trial());
  expect(await bench.grant(trial(), { worker: 'w-2' })).toMatchObject({ epoch: 2, attempt: 2 });
  expect(await bench.item(trial())).toMatchObject({ expired: false });
});

test('the lost attempt’s own result still closes it until the next grant', async () => {
  const held = await startedAndLost();
  expect((await bench.record(held, completedTrial())).reply).toEqual({ answer: 'recorded' });
  expect(await bench.instance(trial())).toMatchObject({ state: 'GRADING', attempts: 1, failure: null });
  expect(await bench.tries('trial', runId)).toMatchObject([{ state: 'COMPLETED' }]);
  await bench.makeDue(trial());
  expect(await bench.claim(trial())).toEqual({ answer: 'done' });
});

test('after the next grant it is refused, and the new holder goes on undisturbed', async () => {
  const held = await startedAndLost();
  await bench.makeDue(trial());
  const next = await bench.start(trial(), { worker: 'w-2' });
  expect((await bench.record(held, completedTrial())).reply).toMatchObject({ answer: 'refused' });
  expect(await bench.beat(next)).toMatchObject({ answer: 'ok' });
  expect((await bench.record(next, completedTrial())).reply).toEqual({ answer: 'recorded' });
});

test('an attempt that never beat is not counted and may be had again at once', async () => {
  await bench.grant(trial());
  await bench.lapse(trial());
  expect(await bench.expireAll()).toEqual([{ next: 'retry', finished: null }]);
  expect(await bench.instance(trial())).toMatchObject({ attempts: 0 });
  expect(await bench.grant(trial())).toMatchObject({ epoch: 2, attempt: 1 });
});

test('four lost attempts are INFRA_FAILED, and that ends the run', async () => {
  for (const _ of [1, 2, 3]) {
    await startedAndLost();
    await bench.makeDue(trial());
  }
  await bench.start(trial());
  await bench.lapse(trial());
  const [last] = await bench.expireAll();
  expect(last).toMatchObject({ next: 'INFRA_FAILED', finished: { runId, state: 'QUARANTINED' } });
  expect(await bench.instance(trial())).toMatchObject({ state: 'INFRA_FAILED', attempts: 4 });
});

test('a lost grade repeats the grade, with tries of its own, and not the trial', async () => {
  await bench.record(await bench.start(trial()), failedTrial());
  await bench.makeDue(trial());
  await bench.record(await bench.start(trial()), completedTrial());
  const grade = workKey(runId, 'grade');
  await bench.start(grade);
  await bench.lapse(grade);
  expect(await bench.expireAll()).toMatchObject([{ next: 'retry' }]);
  expect(await bench.instance(trial())).toMatchObject({ state: 'RETRY_WAIT', attempts: 2 });
  await bench.makeDue(grade);
  expect(await bench.start(grade)).toMatchObject({ attempt: 2, spec: { kind: 'grade' } });
  expect(await bench.instance(trial())).toMatchObject({ state: 'GRADING' });
});

test('a lost grade closed by its own late result ends the instance', async () => {
  await bench.record(await bench.start(trial()), completedTrial());
  const grade = await bench.start(workKey(runId, 'grade'));
  await bench.lapse(grade.key);
  await bench.expireAll();
  const { next, finished } = await bench.record(grade, graded());
  expect({ next, state: finished?.state }).toEqual({ next: 'RESOLVED', state: 'SUCCEEDED' });
});

test('a late result that tells of a failure takes the place of the lost lease as the reason', async () => {
  await bench.record(await bench.start(trial()), completedTrial());
  const grade = await bench.start(workKey(runId, 'grade'));
  await bench.lapse(grade.key);
  await bench.expireAll();
  await bench.record(grade, failedGrade());
  expect(await bench.instance(trial())).toMatchObject({ failure: { code: 'engine_gone' }, state: 'RETRY_WAIT' });
  expect(await bench.item(grade.key)).toMatchObject({ tries: 1, expired: false });
});

test('two sweeps at once expire a lease once', async () => {
  await bench.start(trial());
  await bench.lapse(trial());
  const lease = { key: trial(), epoch: 1 };
  const both = await Promise.all(
    [1, 2].map(() => bench.database.transaction((sql) => expireLease(sql, lease, bench.protocol))),
  );
  expect(both.filter((followed) => followed !== null)).toHaveLength(1);
  expect((await bench.events(runId)).filter((type) => type === 'trial.lost')).toHaveLength(1);
});

test('expiry and heartbeat at the same moment: one of them wins, never both', async () => {
  for (let round = 0; round < 5; round += 1) {
    const held = await bench.start(trial());
    await bench.lapse(trial());
    const [expired, beat] = await Promise.all([bench.expireAll(), bench.beat(held)]);
    const { expired: isExpired } = await bench.item(trial());
    const wasExpired = expired.some((followed) => followed !== null);
    expect(isExpired).toBe(wasExpired);
    if (wasExpired) {
      expect(beat.answer).toBe('lost');
      return;
    }
    expect(beat.answer).toBe('ok');
    await bench.release(held);
  }
});
