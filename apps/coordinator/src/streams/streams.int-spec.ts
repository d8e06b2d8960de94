import type { RunId } from '@assay/contracts';
import { aManifest, aResult, completedTrial, eventually, graded, workKey } from '@assay/testing';
import { CoordinatorBench } from '../harness/test-coordinator';

// Design rule 1: losing the whole NATS store in the middle of a run costs time, never an instance.

let bench: CoordinatorBench;
let runId: RunId;
beforeEach(async () => {
  bench = await CoordinatorBench.open();
});
afterEach(() => bench.close());

const key = (instance: string) => workKey(runId, 'trial', instance);
const INSTANCES = ['i-1', 'i-2', 'i-3', 'i-4'];

async function storedTrial() {
  const patch = await bench.artifacts.put('patch', 'text/x-diff', Buffer.from('--- a\n'));
  const trajectory = await bench.artifacts.put('trajectory', 'application/json', Buffer.from('{}'));
  return completedTrial({ patch, trajectory });
}

async function loseNats(): Promise<void> {
  await bench.nats.kill();
  await bench.nats.loseStore();
  await bench.nats.restart();
  await eventually(() => bench.link.connected);
}

test('the streams are there when the coordinator is ready, and laying them again changes nothing', async () => {
  await bench.start();
  const manager = await bench.link.manager();
  const { names } = bench.link;
  const created = async () =>
    Promise.all(
      [names.workStream, names.resultStream, names.runStream].map(
        async (name) => (await manager.streams.info(name)).created,
      ),
    );
  const before = await created();
  await bench.start();
  expect(await created()).toEqual(before);
  expect(await bench.database.query('select name from streams order by name')).toHaveLength(3);
});

test('one of several coordinators that start together lays them; all become ready', async () => {
  await Promise.all([bench.start(), bench.start(), bench.start()]);
  for (const { url } of bench.coordinators) {
    await eventually(async () => (await fetch(`${url}/readyz`)).status === 200);
  }
});

test('a lost store is noticed: streams are laid anew, all open work is published again, and the run ends', async () => {
  await bench.start();
  await bench.announce('trial', 4);
  await bench.announce('grade', 4);
  runId = await bench.submit({ manifest: aManifest({ instances: INSTANCES }) });
  for (const instance of INSTANCES) await bench.woken(key(instance));
  const held = await bench.hold(key('i-1'));
  await bench.keepLeases();
  await loseNats();
  for (const instance of INSTANCES.slice(1)) expect(await bench.woken(key(instance))).toBeTruthy();
  expect(bench.logged('Streams were lost and are laid anew; open work is published again')).toBe(1);
  await eventually(async () => (await bench.beat(held)).answer === 'ok', { timeoutMs: 20_000 });
  for (const instance of INSTANCES) {
    const trial = instance === 'i-1' ? held : await bench.hold(key(instance));
    expect(await bench.deliver(aResult(trial, await storedTrial()))).toEqual({ answer: 'recorded' });
    const grade = await bench.hold(workKey(runId, 'grade', instance));
    expect(await bench.deliver(aResult(grade, graded()))).toEqual({ answer: 'recorded' });
  }
  expect(await bench.runState(runId)).toBe('SUCCEEDED');
  const attempts = await bench.database.query('select state from attempts where run_id = $1', [runId]);
  expect(attempts).toEqual(INSTANCES.map(() => ({ state: 'COMPLETED' })));
});

test('a broker that is restarted with its store costs nothing: no stream is laid anew', async () => {
  await bench.start();
  await bench.announce('trial', 1);
  runId = await bench.submit();
  const before = await bench.woken(key('i-1'));
  await bench.nats.kill();
  await bench.nats.restart();
  await eventually(async () => (await bench.claim(key('i-1'))).answer === 'granted', { timeoutMs: 20_000 });
  expect(await bench.wakeUp(key('i-1'))).toEqual(before);
  expect(bench.logged('Streams were lost and are laid anew; open work is published again')).toBe(0);
});
