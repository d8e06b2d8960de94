import type { RunId } from '@assay/contracts';
import { aManifest, completedTrial, graded, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import { cancelRun, type CancelledRun } from '../index';

// Design section 3a, "cancel".

let bench: WorkBench;
let runId: RunId;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  await bench.reset();
  runId = await bench.submit({ manifest: aManifest({ instances: ['i-1', 'i-2', 'i-3'] }) });
});

const cancel = (id: RunId = runId): Promise<CancelledRun | null> =>
  bench.database.transaction((sql) => cancelRun(sql, id, bench.protocol));
const key = (instance: string) => workKey(runId, 'trial', instance);

test('open instances become CANCELLED and the run QUARANTINED, while what ended keeps its state', async () => {
  await bench.record(await bench.start(key('i-1')), completedTrial());
  await bench.record(await bench.start(workKey(runId, 'grade')), graded());
  await bench.start(key('i-2'));
  expect(await cancel()).toEqual({ state: 'QUARANTINED', cancelledInstances: 2 });
  const states = [];
  for (const instance of ['i-1', 'i-2', 'i-3']) states.push((await bench.instance(key(instance)))['state']);
  expect(states).toEqual(['RESOLVED', 'CANCELLED', 'CANCELLED']);
  expect(await bench.run(runId)).toMatchObject({
    state: 'QUARANTINED',
    result: { score: null, counts: { cancelled: 2, resolved: 1 }, reasons: [{ code: 'instances_cancelled' }] },
  });
});

test('the epoch rises in the same transaction: heartbeat, result and release of the holder are refused', async () => {
  const held = await bench.start(key('i-2'));
  await cancel();
  expect(await bench.item(key('i-2'))).toMatchObject({ state: 'DONE', epoch: 2, lease_until: null });
  expect(await bench.beat(held)).toMatchObject({ answer: 'lost' });
  expect((await bench.record(held, completedTrial())).reply).toMatchObject({ answer: 'refused' });
  expect(await bench.release(held)).toMatchObject({ answer: 'lost' });
  expect(await bench.instance(key('i-2'))).toMatchObject({ state: 'CANCELLED' });
  expect(await bench.tries('trial', runId)).toMatchObject([{ state: 'CANCELLED' }]);
});

test('no wake-up of it is sent any more, and a message that is still in the stream is done', async () => {
  const other = await bench.submit();
  await cancel();
  expect((await bench.unsent()).map(({ subject }) => subject)).toEqual([bench.protocol.names.work(workKey(other))]);
  expect(await bench.claim(key('i-3'))).toEqual({ answer: 'done' });
});

test('a second and third cancel change nothing', async () => {
  await cancel();
  const before = await bench.run(runId);
  expect(await cancel()).toEqual({ state: 'QUARANTINED', cancelledInstances: 0 });
  expect(await cancel()).toEqual({ state: 'QUARANTINED', cancelledInstances: 0 });
  expect(await bench.run(runId)).toEqual(before);
});

test('a run that is still WAITING becomes CANCELLED', async () => {
  await bench.database.query(
    `insert into runs (id, state, idempotency_key, request, request_digest, suite)
     values ('waiting', 'WAITING', 'k', '{}', 'd', 's')`,
  );
  const waiting = 'waiting' as RunId;
  expect(await cancel(waiting)).toEqual({ state: 'CANCELLED', cancelledInstances: 0 });
  expect(await bench.run(waiting)).toMatchObject({ state: 'CANCELLED' });
});

test('an unknown run is unknown', async () => {
  expect(await cancel('nowhere' as RunId)).toBeNull();
});

test('a cancel amid claims, heartbeats and results waits for nobody for ever and leaves one terminal state each', async () => {
  const instances = Array.from({ length: 12 }, (_, index) => `x-${index}`);
  runId = await bench.submit({ manifest: aManifest({ instances }) });
  const half = instances.slice(0, 6);
  const held = await Promise.all(half.map((instance) => bench.start(key(instance))));
  const [cancelled] = await Promise.all([
    cancel(),
    ...held.map((one) => bench.record(one, completedTrial())),
    ...held.map((one) => bench.beat(one, 'UPLOADING')),
    ...instances.slice(6).map((instance) => bench.claim(key(instance))),
  ]);
  expect(cancelled).toMatchObject({ state: 'QUARANTINED', cancelledInstances: 12 });
  const states = await bench.database.query('select distinct state from instances where run_id = $1', [runId]);
  expect(states).toEqual([{ state: 'CANCELLED' }]);
  expect(await bench.database.query("select 1 from work_items where run_id = $1 and state = 'OPEN'", [runId])).toEqual(
    [],
  );
});
