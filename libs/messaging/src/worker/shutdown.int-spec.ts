import { eventually } from '@assay/testing';
import { type Bench, onBench } from '../harness/bench';
import { FAST, granted, keyOf, trialResult, untilAborted } from '../harness/builders';

const key = keyOf('a');
const works = () => Promise.resolve(trialResult);

function verbsOf(bench: Bench): string[] {
  return bench.verbs.seen.filter(({ consumer }) => consumer === 't_trial').map(({ verb }) => verb);
}

test('running work is aborted, released and then given back at once, so that another worker has it long before its lease', () =>
  onBench(async (bench) => {
    let reason: unknown = null;
    const first = await bench.worker({
      kind: 'trial',
      work: ({ signal }) =>
        untilAborted(signal).catch((error: unknown) => {
          reason = error;
          throw error;
        }),
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('heartbeat').length === 1);
    await bench.worker({ kind: 'trial', work: works });
    const closing = performance.now();
    await first.close();
    expect(reason).toMatchObject({ code: 'worker_shutdown' });
    expect(bench.coordinator.seen('release')[0]?.request).toMatchObject({ key, epoch: 1 });
    await eventually(() => bench.coordinator.item(key).finished);
    expect(bench.coordinator.results.map(({ message }) => message.epoch)).toEqual([3]);
    const nak = bench.verbs.of('-NAK')[0]!;
    expect(nak.delayMs).toBe(0);
    expect(nak.at).toBeGreaterThanOrEqual(bench.coordinator.seen('release')[0]!.at);
    expect(bench.coordinator.seen('claim')[1]!.at - closing).toBeLessThan(FAST.leaseMs / 2);
  }));

test('a release that is answered lost sends no verb', () =>
  onBench(async (bench) => {
    const worker = await bench.worker({ kind: 'trial', work: ({ signal }) => untilAborted(signal) });
    await bench.wake(key);
    await eventually(() => verbsOf(bench).length === 1);
    bench.coordinator.on('release', () => ({ answer: 'lost', reason: 'another epoch' }));
    await worker.close();
    expect(verbsOf(bench)).toEqual(['+WPI']);
  }));

test('a release that nobody answers is asked twice, and the message is given back all the same', () =>
  onBench(async (bench) => {
    const worker = await bench.worker({ kind: 'trial', work: ({ signal }) => untilAborted(signal) });
    await bench.wake(key);
    await eventually(() => verbsOf(bench).length === 1);
    bench.coordinator.on('release', () => 'silence');
    await worker.close();
    expect(bench.coordinator.seen('release')).toHaveLength(2);
    await eventually(() => verbsOf(bench).length === 2);
    expect(verbsOf(bench)).toEqual(['+WPI', '-NAK']);
  }));

test('a worker that ends while nobody answers its claim gives the message back at once', () =>
  onBench(async (bench) => {
    bench.coordinator.on('claim', () => 'silence');
    const worker = await bench.worker({ kind: 'trial', work: works });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('claim').length === 1);
    await worker.close();
    await eventually(() => verbsOf(bench).length === 1);
    expect(bench.verbs.of('-NAK')[0]?.delayMs).toBe(0);
  }));

test('a grant that arrives while the worker ends is released and not worked on', () =>
  onBench(async (bench) => {
    const answer = new AbortController();
    bench.coordinator.on('claim', async (request) => {
      Object.assign(bench.coordinator.item(key), { epoch: 1, claimId: request.claimId });
      await untilAborted(answer.signal).catch(() => undefined);
      return granted(key);
    });
    let started = false;
    const worker = await bench.worker({
      kind: 'trial',
      work: () => {
        started = true;
        return works();
      },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('claim').length === 1);
    const closed = worker.close();
    answer.abort();
    await closed;
    expect(started).toBe(false);
    expect(bench.coordinator.seen('release')).toHaveLength(1);
    expect(bench.coordinator.seen('heartbeat')).toEqual([]);
    await eventually(() => verbsOf(bench).length === 1);
    expect(verbsOf(bench)).toEqual(['-NAK']);
  }));

test('a result that is on its way is waited for instead of being released', () =>
  onBench(async (bench) => {
    bench.coordinator.onResult = (message, nth) => (nth === 1 ? null : bench.coordinator.record(message));
    const worker = await bench.worker({ kind: 'trial', work: works, timings: { ...FAST, resultAckWaitMs: 400 } });
    await bench.wake(key);
    await eventually(() => bench.coordinator.results.length === 1);
    await worker.close();
    expect(bench.coordinator.item(key).finished).toBe(true);
    expect(bench.coordinator.seen('release')).toEqual([]);
    await eventually(() => verbsOf(bench).includes('+ACK'));
    expect(verbsOf(bench)).not.toContain('-NAK');
  }));

test('a result that is stored and not answered within the grace is left to the coordinator, without release or verb', () =>
  onBench(async (bench) => {
    bench.coordinator.onResult = () => null;
    const worker = await bench.worker({ kind: 'trial', work: works, stopGraceMs: 600 });
    await bench.wake(key);
    await eventually(() => bench.coordinator.results.length > 0);
    await worker.close();
    expect(bench.coordinator.seen('release')).toEqual([]);
    expect(verbsOf(bench).filter((verb) => verb !== '+WPI')).toEqual([]);
  }));

test('a worker that has nothing to do ends within one pull', () =>
  onBench(async (bench) => {
    const worker = await bench.worker({ kind: 'trial', slots: 4, work: works });
    await eventually(() => bench.coordinator.seen('announce').length === 1);
    const since = performance.now();
    await worker.close();
    expect(performance.now() - since).toBeLessThan(1_500);
    await bench.wake(key);
    expect(await bench.pending()).toEqual({ waiting: 1, inFlight: 0 });
  }));

test('a handler that does not heed its signal delays the end by the grace and no more', () =>
  onBench(async (bench) => {
    const finish = new AbortController();
    const worker = await bench.worker({
      kind: 'trial',
      work: () => untilAborted(finish.signal),
      stopGraceMs: 500,
    });
    await bench.wake(key);
    await eventually(() => verbsOf(bench).length === 1);
    const since = performance.now();
    await worker.close();
    expect(performance.now() - since).toBeLessThan(2_000);
    expect(bench.log.has('Work did not end within its grace; leaving it')).toBe(true);
    expect(verbsOf(bench)).toEqual(['+WPI', '-NAK']);
    finish.abort();
  }));
