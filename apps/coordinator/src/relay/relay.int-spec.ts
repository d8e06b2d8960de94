import type { RunId } from '@assay/contracts';
import { JetStreamPublisher } from '@assay/messaging';
import { aManifest, eventually, seedRun, workKey } from '@assay/testing';
import { CoordinatorBench } from '../harness/test-coordinator';

// Design section 3a, "message": what the relay sends, when, and what it believes.

let bench: CoordinatorBench;
let runId: RunId;
beforeEach(async () => {
  bench = await CoordinatorBench.open();
  await bench.start();
});
afterEach(() => bench.close());

const ids = (n: number) => Array.from({ length: n }, (_, index) => `i-${String(index).padStart(2, '0')}`);
const trial = (instance: string) => workKey(runId, 'trial', instance);

async function submit(instances: readonly string[]): Promise<void> {
  runId = await bench.submit({ manifest: aManifest({ instances }) });
  await eventually(async () => (await bench.database.query('select 1 from work_items')).length === instances.length);
}
const unsent = async () => (await bench.database.query('select 1 from outbox where sent_at is null')).length;

test('at most four wake-ups a slot lie unleased in the stream, and a claim makes room for one more', async () => {
  await submit(ids(30));
  await bench.announce('trial', 2);
  await eventually(async () => (await unsent()) === 22);
  expect(await bench.stored()).toBe(8);
  for (const instance of ids(3)) {
    await bench.hold(trial(instance));
    await bench.acknowledge(await bench.woken(trial(instance)));
  }
  await eventually(async () => (await unsent()) === 19, { what: 'three more to be sent' });
  expect(await bench.stored()).toBe(8);
});

test('nothing is sent while no worker is there', async () => {
  await submit(ids(3));
  await bench.announce('grade', 5);
  await eventually(async () => (await bench.database.query('select 1 from workers')).length === 1);
  expect(await bench.stored()).toBe(0);
  await bench.announce('trial', 1);
  await eventually(async () => (await bench.stored()) === 3);
});

test('a paused run sends nothing, and does not keep another waiting; resumed, it goes on', async () => {
  await submit(ids(3));
  await bench.database.query('update runs set paused = true');
  const paused = runId;
  await bench.announce('trial', 1);
  runId = await bench.submit();
  await bench.woken(trial('i-1'));
  expect(await bench.stored()).toBe(1);
  await bench.database.query('update runs set paused = false where id = $1', [paused]);
  await eventually(async () => (await bench.stored()) === 4);
});

test('a message that is still stored counts as sent', async () => {
  runId = await bench.submit();
  await eventually(async () => (await unsent()) === 1);
  const publisher = new JetStreamPublisher(bench.link);
  const subject = bench.link.names.work(trial('i-1'));
  await publisher.publish(subject, { key: trial('i-1') }, { messageId: 'an earlier one', traceparent: null });
  await bench.announce('trial', 1);
  await eventually(async () => (await unsent()) === 0);
  expect(await bench.wakeUp(trial('i-1'))).toMatchObject({ messageId: 'an earlier one' });
  expect(await bench.stored()).toBe(1);
});

test('what the broker did not acknowledge stays unsent, with the reason, and is sent when the broker is back', async () => {
  await bench.announce('trial', 1);
  await bench.nats.kill();
  await eventually(() => !bench.link.connected);
  runId = await seedRun(bench.database);
  await bench.database.query(
    `insert into outbox (topic, subject, message_id, payload, run_id) values ('run.submitted', $1, 'm', $2, $3)`,
    [bench.link.names.runSubmitted(runId), JSON.stringify({ runId }), runId],
  );
  await eventually(
    async () =>
      (await bench.database.query('select 1 from outbox where tries > 0 and last_error is not null')).length > 0,
    { timeoutMs: 20_000, what: 'a failed try to be noted' },
  );
  await bench.nats.restart();
  await bench.woken(trial('i-1'));
  await eventually(async () => (await unsent()) === 0);
});

test('two coordinators relay side by side: every wake-up is stored once', async () => {
  await bench.start();
  await submit(ids(20));
  await bench.announce('trial', 10);
  await eventually(async () => (await unsent()) === 0);
  expect(await bench.stored()).toBe(20);
});
