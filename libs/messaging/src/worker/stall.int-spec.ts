import { eventually } from '@assay/testing';
import { type Bench, onBench } from '../harness/bench';
import { FAST, keyOf, trialResult, untilAborted } from '../harness/builders';

const key = keyOf('a');

/** Stops this process' event loop, as SIGSTOP or a blocking computation does. Timers are all late after it. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function verbsSince(bench: Bench, at: number): string[] {
  return bench.verbs.seen.filter((seen) => seen.at > at && seen.consumer === 't_trial').map(({ verb }) => verb);
}

test('a worker that stalled longer than a lease sends nothing until a heartbeat is accepted again', () =>
  onBench(async (bench) => {
    const finish = new AbortController();
    await bench.worker({
      kind: 'trial',
      work: async () => {
        await untilAborted(finish.signal).catch(() => undefined);
        return trialResult;
      },
    });
    await bench.wake(key);
    await eventually(() => bench.verbs.of('+WPI').length === 1);
    bench.coordinator.on('heartbeat', () => 'silence');
    stall(FAST.leaseMs + 200);
    const woke = performance.now();
    finish.abort();
    await eventually(() => bench.coordinator.seen('heartbeat').filter(({ at }) => at > woke).length >= 3);
    expect(verbsSince(bench, woke)).toEqual([]);
    expect(bench.coordinator.results).toEqual([]);
    bench.coordinator.on('heartbeat', (request) => bench.coordinator.heartbeat(request));
    await eventually(() => bench.coordinator.item(key).finished);
    await eventually(() => verbsSince(bench, woke).includes('+ACK'));
    expect(verbsSince(bench, woke)[0]).toBe('+WPI');
  }));

test('a worker that stalled and lost its work meanwhile is refused, stops, and sends nothing at all', () =>
  onBench(async (bench) => {
    let aborted = false;
    await bench.worker({
      kind: 'trial',
      work: async ({ signal }) => {
        await untilAborted(signal).catch(() => undefined);
        aborted = true;
        return trialResult;
      },
    });
    await bench.wake(key);
    await eventually(() => bench.verbs.of('+WPI').length === 1);
    stall(FAST.leaseMs + 200);
    const woke = performance.now();
    bench.coordinator.takeAway(key);
    await eventually(() => aborted);
    expect(bench.log.has('Lease lost')).toBe(true);
    // What the worker sends next is the claim of a new delivery, which the other holder's answer gives back.
    await eventually(() => bench.coordinator.seen('claim').length > 1);
    const firstDelivery = bench.verbs.seen.filter(({ at, delivery }) => at > woke && delivery === 1);
    expect(firstDelivery).toEqual([]);
    expect(bench.coordinator.results).toEqual([]);
  }));

test('a short stall within the lease changes nothing', () =>
  onBench(async (bench) => {
    await bench.worker({ kind: 'trial', work: ({ signal }) => untilAborted(signal) });
    await bench.wake(key);
    await eventually(() => bench.verbs.of('+WPI').length === 1);
    bench.coordinator.on('heartbeat', () => 'silence');
    stall(FAST.leaseMs / 4);
    const woke = performance.now();
    await eventually(() => verbsSince(bench, woke).length > 1);
    expect(new Set(verbsSince(bench, woke))).toEqual(new Set(['+WPI']));
  }));
