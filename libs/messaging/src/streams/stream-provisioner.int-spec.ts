import { DEFAULT_TIMINGS, Namespace, REPLY_HEADER, RunId, WorkKind } from '@assay/contracts';
import { eventually, TestNats } from '@assay/testing';
import { AckPolicy, DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { completed, FAST, keyOf, NAMESPACE } from '../harness/builders';
import { CapturedLog } from '../harness/captured-log';
import { connectNats } from '../nats/connect-nats';
import type { NatsLink } from '../nats/nats-link';
import { JetStreamPublisher } from './jetstream-publisher';
import { type Fingerprints, StreamProvisioner } from './stream-provisioner';

let nats: TestNats;
let link: NatsLink;
let provisioner: StreamProvisioner;
let publisher: JetStreamPublisher;
let messages = 0;

beforeEach(async () => {
  nats = await TestNats.start();
  link = await connectNats({ url: nats.url, name: 'test', namespace: NAMESPACE, reconnectMs: 20 });
  provisioner = new StreamProvisioner({ link, timings: DEFAULT_TIMINGS, logger: new CapturedLog() });
  publisher = new JetStreamPublisher(link);
  messages = 0;
});
afterEach(async () => {
  await link.close();
  await nats.stop();
});

async function wake(key = keyOf('a')): Promise<unknown> {
  messages += 1;
  return await publisher.publish(link.names.work(key), { key }, { messageId: `m${messages}`, traceparent: null });
}

const trialResultOf = (epoch: number) => ({
  kind: 'trial',
  key: keyOf('a'),
  epoch,
  claimId: '00000000-0000-4000-8000-000000000000',
  worker: 'w',
  artifacts: [],
  outcome: completed,
});

test('with the real values the lease is an ack deadline of 90 s, unlimited deliveries, no back-off', async () => {
  await provisioner.lay();
  const manager = await link.manager();
  for (const kind of WorkKind.options) {
    const { config } = await manager.consumers.info('T_WORK', `t_${kind}`);
    expect(config).toMatchObject({
      ack_policy: AckPolicy.Explicit,
      ack_wait: 90e9,
      max_deliver: -1,
      filter_subject: `t.work.${kind}.>`,
    });
    expect(config.backoff ?? []).toEqual([]);
    expect(config.max_ack_pending).toBeGreaterThanOrEqual(1_000);
  }
  expect((await manager.consumers.info('T_RESULTS', 't_results')).config.ack_wait).toBe(10e9);
  expect((await manager.consumers.info('T_RUNS', 't_runs')).config.filter_subject).toBe('t.run.>');
});

test('every stream is a work queue on disk that refuses what it cannot hold and keeps one message per subject', async () => {
  await provisioner.lay();
  const manager = await link.manager();
  const configs = await Promise.all(['T_WORK', 'T_RESULTS', 'T_RUNS'].map((name) => manager.streams.info(name)));
  for (const { config } of configs) {
    expect(config).toMatchObject({
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
      max_msgs_per_subject: 1,
      max_bytes: 1024 ** 3,
    });
  }
  expect(configs.map(({ config }) => config.max_msg_size)).toEqual([65_536, 1_048_576, 65_536]);
});

test('laying again changes nothing and loses nothing; other values are laid over the old ones', async () => {
  const first = await provisioner.lay();
  await wake();
  expect(await provisioner.lay()).toEqual(first);
  expect(await provisioner.pendingOf('trial')).toEqual({ waiting: 1, inFlight: 0 });
  const scaled = new StreamProvisioner({ link, timings: FAST, logger: new CapturedLog(), maxBytes: 1024 ** 2 });
  expect(await scaled.lay()).toEqual(first);
  const manager = await link.manager();
  expect((await manager.consumers.info('T_WORK', 't_trial')).config.ack_wait).toBe(FAST.leaseMs * 1e6);
  expect((await manager.streams.info('T_WORK')).config.max_bytes).toBe(1024 ** 2);
  expect(await provisioner.pendingOf('trial')).toEqual({ waiting: 1, inFlight: 0 });
});

test('a lost store shows in the fingerprints', async () => {
  const before = await provisioner.lay();
  await nats.kill();
  await nats.restart();
  expect(await layWhenBack()).toEqual(before);
  await nats.kill();
  await nats.loseStore();
  await nats.restart();
  const after = await layWhenBack();
  expect(after.work).not.toBe(before.work);
  expect(after.results).not.toBe(before.results);
  expect(after.runs).not.toBe(before.runs);
});

test('what is still stored is refused and harmless; a second message of the same id is a duplicate', async () => {
  await provisioner.lay();
  expect(await wake()).toMatchObject({ stored: true, sequence: 1 });
  expect(await wake()).toEqual({ stored: false, reason: 'still_stored' });
  const again = { messageId: 'm1', traceparent: null };
  expect(await publisher.publish(link.names.work(keyOf('b')), { key: keyOf('b') }, again)).toEqual({
    stored: false,
    reason: 'duplicate',
  });
  expect(await provisioner.pendingOf('trial')).toEqual({ waiting: 1, inFlight: 0 });
});

test('a message is stored with its id and the trace of whoever caused it', async () => {
  await provisioner.lay();
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  await publisher.publish(link.names.work(keyOf('a')), { key: keyOf('a') }, { messageId: 'x', traceparent });
  const stored = await (await link.manager()).streams.getMessage('T_WORK', { seq: 1 });
  expect(stored?.header.get('traceparent')).toBe(traceparent);
  expect(stored?.header.get('Nats-Msg-Id')).toBe('x');
});

test('a full stream, a missing one and a server that is away are failures, never a refusal', async () => {
  const tiny = new StreamProvisioner({ link, timings: FAST, logger: new CapturedLog(), maxBytes: 300 });
  await expect(wake()).rejects.toMatchObject({ code: 'publish_failed', blame: 'infra' });
  await tiny.lay();
  await wake(keyOf('a'));
  const full: unknown = await Promise.all(['b', 'c', 'd'].map((name) => wake(keyOf(name)))).catch(
    (error: unknown) => error,
  );
  expect(full).toMatchObject({ code: 'publish_failed', message: expect.stringContaining('maximum bytes') as string });
  await nats.kill();
  const impatient = new JetStreamPublisher(link, 200);
  await expect(
    impatient.publish(link.names.work(keyOf('z')), {}, { messageId: 'z', traceparent: null }),
  ).rejects.toMatchObject({ code: 'publish_failed' });
});

test('a stuck message is deleted by its key, delivered or not, and can be published again', async () => {
  await provisioner.lay();
  expect(await provisioner.deleteMessageOf(keyOf('a'))).toBe(false);
  await wake();
  await wake(keyOf('b'));
  const consumer = await link.jetstream.consumers.get('T_WORK', 't_trial');
  await consumer.next({ expires: 1_000 });
  expect(await provisioner.pendingOf('trial')).toEqual({ waiting: 1, inFlight: 1 });
  expect(await provisioner.deleteMessageOf(keyOf('a'))).toBe(true);
  expect(await provisioner.pendingOf('trial')).toEqual({ waiting: 1, inFlight: 0 });
  expect(await wake()).toMatchObject({ stored: true });
});

test('a consumer laid anew delivers again what was in flight', async () => {
  await provisioner.lay();
  await wake();
  const consumer = await link.jetstream.consumers.get('T_WORK', 't_trial');
  await consumer.next({ expires: 1_000 });
  await provisioner.relayConsumer('trial');
  expect(await provisioner.pendingOf('trial')).toEqual({ waiting: 1, inFlight: 0 });
  const again = await consumer.next({ expires: 1_000 });
  expect(again?.info.deliveryCount).toBe(1);
  expect((await (await link.manager()).consumers.info('T_WORK', 't_trial')).config.ack_wait).toBe(90e9);
  await (await link.manager()).consumers.delete('T_WORK', 't_grade');
  await provisioner.relayConsumer('grade');
  expect(await provisioner.pendingOf('grade')).toEqual({ waiting: 0, inFlight: 0 });
});

test('purging a run takes its messages of every kind and no other', async () => {
  await provisioner.lay();
  for (const kind of WorkKind.options) await wake(keyOf('a', { run: 'run.1', kind }));
  await wake(keyOf('b', { run: 'run.1' }));
  await wake(keyOf('a', { run: 'run.10' }));
  expect(await provisioner.purgeRun(RunId.parse('run.1'))).toBe(4);
  expect(await provisioner.pendingOf('trial')).toEqual({ waiting: 1, inFlight: 0 });
  expect(await provisioner.purgeRun(RunId.parse('run.1'))).toBe(0);
});

test('a waiting result is read without being taken', async () => {
  await provisioner.lay();
  expect(await provisioner.storedResult(keyOf('a'))).toBeNull();
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  await publisher.publish(link.names.result(keyOf('a')), trialResultOf(4), {
    messageId: 'r',
    traceparent,
    headers: { [REPLY_HEADER]: 'inbox.x' },
  });
  const stored = await provisioner.storedResult(keyOf('a'));
  expect(stored).toEqual({ message: trialResultOf(4), sequence: 1, traceparent, replyTo: 'inbox.x' });
  const consumer = await link.jetstream.consumers.get('T_RESULTS', 't_results');
  expect((await consumer.next({ expires: 1_000 }))?.seq).toBe(1);
  expect(await provisioner.storedResult(keyOf('a', { sample: 1 }))).toBeNull();
});

test('a stored message that is no result is a broken contract', async () => {
  await provisioner.lay();
  await publisher.publish(link.names.result(keyOf('a')), { no: 1 }, { messageId: 'r', traceparent: null });
  await expect(provisioner.storedResult(keyOf('a'))).rejects.toMatchObject({ code: 'malformed_result' });
});

test('a stream that is there with another retention is a clear failure', async () => {
  const manager = await link.manager();
  await manager.streams.add({ name: 'T_WORK', subjects: ['t.work.>'], retention: RetentionPolicy.Limits });
  await expect(provisioner.lay()).rejects.toMatchObject({ code: 'stream_layout', blame: 'infra' });
});

test('two deployments lay their own streams', async () => {
  const other = await connectNats({ url: nats.url, name: 'u', namespace: Namespace.parse('u') });
  await provisioner.lay();
  await new StreamProvisioner({ link: other, timings: FAST, logger: new CapturedLog() }).lay();
  await wake();
  const manager = await link.manager();
  const names = (await manager.streams.names().next()).sort();
  expect(names).toEqual(['T_RESULTS', 'T_RUNS', 'T_WORK', 'U_RESULTS', 'U_RUNS', 'U_WORK']);
  expect((await manager.streams.info('U_WORK')).state.messages).toBe(0);
  expect((await manager.consumers.info('U_WORK', 'u_trial')).config.ack_wait).toBe(FAST.leaseMs * 1e6);
  await other.close();
});

/** Lays as soon as the connection is back. */
async function layWhenBack(): Promise<Fingerprints> {
  let laid: Fingerprints | null = null;
  await eventually(async () => {
    laid = await provisioner.lay();
    return true;
  });
  return laid!;
}

test('without a connection there is nothing to lay, and it is said', async () => {
  await nats.kill();
  await eventually(() => !link.connected);
  await expect(provisioner.lay()).rejects.toMatchObject({ code: 'nats_away', blame: 'infra' });
});
