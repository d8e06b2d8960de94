import { Namespace, RunId } from '@assay/contracts';
import { eventually } from '@assay/testing';
import { onBench } from '../harness/bench';
import { CapturedLog } from '../harness/captured-log';
import { FAST, keyOf, trialResult, untilAborted } from '../harness/builders';
import { TestCoordinator } from '../harness/test-coordinator';
import { ControlPublisher } from '../streams/control-publisher';
import { JetStreamPublisher } from '../streams/jetstream-publisher';
import { StreamProvisioner } from '../streams/stream-provisioner';

test('one slot holds one message, however many wait and however long the work takes', () =>
  onBench(async (bench) => {
    const finish = new AbortController();
    await bench.worker({
      kind: 'trial',
      work: async () => {
        await untilAborted(finish.signal).catch(() => undefined);
        return trialResult;
      },
    });
    for (let n = 0; n < 30; n += 1) await bench.wake(keyOf(`i${n}`));
    const most = { inFlight: 0 };
    const since = performance.now();
    // Longer than three pulls: `consume()` was measured to hoard exactly then.
    await eventually(async () => {
      const { inFlight } = await bench.pending();
      most.inFlight = Math.max(most.inFlight, inFlight);
      return performance.now() - since > 3_500;
    });
    expect(most.inFlight).toBe(1);
    expect(await bench.pending()).toEqual({ waiting: 29, inFlight: 1 });
    finish.abort();
    await eventually(() => [...bench.coordinator.items.values()].filter(({ finished }) => finished).length === 30);
    expect(bench.coordinator.seen('claim')).toHaveLength(30);
    expect(bench.coordinator.results).toHaveLength(30);
  }));

test('as many pieces of work run at a time as there are slots', () =>
  onBench(async (bench) => {
    let running = 0;
    const finish = new AbortController();
    await bench.worker({
      kind: 'trial',
      slots: 3,
      work: async () => {
        running += 1;
        await untilAborted(finish.signal).catch(() => undefined);
        return trialResult;
      },
    });
    for (let n = 0; n < 5; n += 1) await bench.wake(keyOf(`i${n}`));
    await eventually(() => running === 3);
    await eventually(() => bench.coordinator.seen('heartbeat').length >= 9);
    expect(running).toBe(3);
    expect(await bench.pending()).toEqual({ waiting: 2, inFlight: 3 });
    finish.abort();
    await eventually(() => running === 5);
  }));

test('a worker announces its slots at once and every announceMs', () =>
  onBench(async (bench) => {
    await bench.worker({ kind: 'trial', slots: 2, work: () => Promise.resolve(trialResult) });
    await eventually(() => bench.coordinator.seen('announce').length === 3);
    const [first, second] = bench.coordinator.seen('announce');
    expect(first?.request).toMatchObject({ kind: 'trial', slots: 2, buildDigest: 'b'.repeat(64) });
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(FAST.announceMs - 20);
  }));

test('a worker announces itself after a new connection, long before it is time again', () =>
  onBench(async (bench) => {
    const timings = { ...FAST, announceMs: 20_000 };
    await bench.worker({ kind: 'trial', timings, work: () => Promise.resolve(trialResult) });
    await eventually(() => bench.coordinator.seen('announce').length === 1);
    await bench.nats.kill();
    await bench.nats.restart();
    await eventually(() => bench.coordinator.seen('announce').length === 2, { timeoutMs: 18_000 });
    const [first, second] = bench.coordinator.seen('announce');
    expect(second?.request).toEqual(first?.request);
  }));

test('an announcement that nobody answers is made again after a fifth of announceMs', () =>
  onBench(async (bench) => {
    const timings = { ...FAST, announceMs: 2_500, rpcTimeoutMs: 100 };
    bench.coordinator.on('announce', (_, nth) => (nth === 1 ? 'silence' : { answer: 'ok' }));
    await bench.worker({ kind: 'trial', timings, work: () => Promise.resolve(trialResult) });
    await eventually(() => bench.coordinator.seen('announce').length === 2);
    const [first, second] = bench.coordinator.seen('announce');
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(550);
    expect(second!.at - first!.at).toBeLessThan(timings.announceMs);
  }));

test('two deployments on one server do not touch each other', () =>
  onBench(async (bench) => {
    const link = await bench.connect('other', Namespace.parse('u'));
    const other = new StreamProvisioner({ link, timings: FAST, logger: new CapturedLog() });
    await other.lay();
    const theirs = new TestCoordinator(link).start();
    const works: string[] = [];
    const work =
      (name: string) =>
      async ({ key, signal }: { key: { instanceId: string }; signal: AbortSignal }) => {
        works.push(`${name} ${key.instanceId}`);
        await untilAborted(AbortSignal.any([signal, AbortSignal.timeout(300)])).catch(() => undefined);
        signal.throwIfAborted();
        return trialResult;
      };
    await bench.worker({ kind: 'trial', work: work('t') });
    await bench.worker({ kind: 'trial', work: work('u'), link: await bench.connect('worker', Namespace.parse('u')) });
    await bench.wake(keyOf('a'));
    const publisher = new JetStreamPublisher(link);
    await publisher.publish(link.names.work(keyOf('b')), { key: keyOf('b') }, { messageId: 'm1', traceparent: null });
    await eventually(() => works.length === 2);
    // Cancelling the other's run of the same name, and purging it, touches nothing of ours.
    new ControlPublisher(link).cancel({ runId: RunId.parse('run-1'), instanceId: null });
    await eventually(() => bench.coordinator.item(keyOf('a')).finished);
    expect([...works].sort()).toEqual(['t a', 'u b']);
    expect(theirs.results).toEqual([]);
    expect(theirs.seen('claim').map(({ request }) => request.key.instanceId)).toEqual(['b']);
    expect(bench.coordinator.seen('claim').map(({ request }) => request.key.instanceId)).toEqual(['a']);
    await theirs.stop();
  }));
