import { eventually } from '@assay/testing';
import type { ClaimReply } from '@assay/contracts';
import { Bench, onBench } from '../harness/bench';
import { FAST, granted, keyOf, trialResult, untilAborted } from '../harness/builders';

const key = keyOf('a.b__c-1');
const neverWorks = () => Promise.reject(new Error('must not be called'));

function answering(bench: Bench, reply: ClaimReply): void {
  bench.coordinator.on('claim', () => reply);
}

test('each delivery is claimed with a fresh claim id, the worker, its build and whether it is idle', () =>
  onBench(async (bench) => {
    bench.coordinator.on('claim', (_, nth) => (nth === 1 ? { answer: 'held', retryInMs: 0 } : { answer: 'done' }));
    await bench.worker({ kind: 'trial', work: neverWorks });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('claim').length === 2);
    const [first, second] = bench.coordinator.seen('claim').map(({ request }) => request);
    expect(first).toMatchObject({ key, buildDigest: 'b'.repeat(64), idle: true });
    expect(first?.claimId).not.toBe(second?.claimId);
    expect(first?.worker).toBe(second?.worker);
  }));

test('a worker with work in another slot says that it is not idle', () =>
  onBench(async (bench) => {
    await bench.worker({ kind: 'trial', slots: 2, work: ({ signal }) => untilAborted(signal) });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('heartbeat').length > 0);
    await bench.wake(keyOf('second'));
    await eventually(() => bench.coordinator.seen('claim').length === 2);
    expect(bench.coordinator.seen('claim').map(({ request }) => request.idle)).toEqual([true, false]);
  }));

test.each(['done', 'waiting'] as const)('the answer %s acks the message and starts nothing', (answer) =>
  onBench(async (bench) => {
    answering(bench, { answer });
    await bench.worker({ kind: 'trial', work: neverWorks });
    await bench.wake(key);
    await eventually(() => bench.verbs.seen.length > 0);
    expect(bench.verbs.seen.map(({ verb }) => verb)).toEqual(['+ACK']);
    await eventually(async () => (await bench.pending()).inFlight === 0);
    expect(bench.coordinator.seen('heartbeat')).toEqual([]);
  }),
);

test('the answer held gives the message back for the rest of the lease, with jitter', () =>
  onBench(async (bench) => {
    answering(bench, { answer: 'held', retryInMs: 500 });
    await bench.worker({ kind: 'trial', work: neverWorks });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('claim').length === 2);
    const [nak] = bench.verbs.of('-NAK');
    expect(nak?.delayMs).toBeGreaterThanOrEqual(500);
    expect(nak?.delayMs).toBeLessThanOrEqual(600);
    const [first, second] = bench.coordinator.seen('claim');
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(490);
  }));

test('the answer refused gives the message back for as long as the coordinator says, and is logged', () =>
  onBench(async (bench) => {
    answering(bench, { answer: 'refused', reason: 'wrong build', retryInMs: 600 });
    await bench.worker({ kind: 'trial', work: neverWorks });
    await bench.wake(key);
    await eventually(() => bench.verbs.of('-NAK').length === 1);
    expect(bench.verbs.of('-NAK')[0]?.delayMs).toBeGreaterThanOrEqual(600);
    expect(bench.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { key, reason: 'wrong build' } }),
    );
  }));

test('the answer lost sends no verb: the message comes again only after the lease', () =>
  onBench(async (bench) => {
    bench.coordinator.on('claim', (_, nth) => (nth === 1 ? { answer: 'lost' } : { answer: 'done' }));
    await bench.worker({ kind: 'trial', work: neverWorks });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('claim').length === 2);
    const [first, second] = bench.coordinator.seen('claim');
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(FAST.leaseMs - 100);
    expect(bench.verbs.seen.filter(({ delivery }) => delivery === 1)).toEqual([]);
  }));

test('an unanswered claim is repeated with the same claim id until it is granted, and worked on once', () =>
  onBench(async (bench) => {
    bench.coordinator.on('claim', (request, nth) => (nth < 3 ? 'silence' : bench.coordinator.claim(request)));
    let started = 0;
    await bench.worker({
      kind: 'trial',
      work: () => {
        started += 1;
        return Promise.resolve(trialResult);
      },
      timings: { ...FAST, rpcTimeoutMs: 100 },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.results.length === 1);
    const ids = bench.coordinator.seen('claim').map(({ request }) => request.claimId);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect(started).toBe(1);
  }));

test('a claim that nobody answers for claimRetryMs is given back, and the next delivery is a new claim', () =>
  onBench(async (bench) => {
    bench.coordinator.on('claim', () => 'silence');
    await bench.worker({ kind: 'trial', work: neverWorks, timings: { ...FAST, rpcTimeoutMs: 200 } });
    await bench.wake(key);
    await eventually(() => bench.verbs.of('-NAK').length === 1);
    const claims = bench.coordinator.seen('claim');
    const lasted = bench.verbs.of('-NAK')[0]!.at - claims[0]!.at;
    expect(lasted).toBeGreaterThanOrEqual(FAST.claimRetryMs - 50);
    expect(lasted).toBeLessThan(FAST.leaseMs);
    expect(claims.length).toBeGreaterThan(2);
    const before = new Set(claims.map(({ request }) => request.claimId));
    await eventually(() => bench.coordinator.seen('claim').length > claims.length);
    expect(before.size).toBe(1);
    expect(before).not.toContain(bench.coordinator.seen('claim').at(-1)!.request.claimId);
  }));

test('a grant of another kind of work is not worked on', () =>
  onBench(async (bench) => {
    bench.coordinator.on('claim', () => granted(keyOf('a', { kind: 'grade' })));
    await bench.worker({ kind: 'trial', work: neverWorks });
    await bench.wake(key);
    await eventually(() => bench.log.has('A grant of another kind ignored'));
    expect(bench.verbs.seen).toEqual([]);
  }));

test('a message that names no work is thrown away and logged', () =>
  onBench(async (bench) => {
    await bench.worker({ kind: 'trial', work: neverWorks });
    await bench.link.jetstream.publish(bench.link.names.work(key), 'not json');
    await bench.link.jetstream.publish(bench.link.names.work(keyOf('other')), '{"key":{"kind":"trial"}}');
    await eventually(async () => {
      const { waiting, inFlight } = await bench.pending();
      return waiting === 0 && inFlight === 0;
    });
    expect(bench.verbs.seen.map(({ verb }) => verb)).toEqual(['+TERM', '+TERM']);
    expect(bench.log.lines.filter(({ sentence }) => sentence === 'Malformed work message thrown away')).toHaveLength(2);
    expect(bench.coordinator.seen('claim')).toEqual([]);
  }));

test('a message that is delivered three times is worked on once', () =>
  onBench(async (bench) => {
    let started = 0;
    const finish = new AbortController();
    await bench.worker({
      kind: 'trial',
      slots: 3,
      work: async () => {
        started += 1;
        await untilAborted(finish.signal).catch(() => undefined);
        return trialResult;
      },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('heartbeat').length > 0);
    // The server obeys verbs of anybody, so this hands the message to the other slots while the first works; the answer
    // held makes them give it back again and again.
    bench.link.connection.publish(bench.verbs.seen[0]!.subject, '-NAK');
    await eventually(() => bench.coordinator.seen('claim').length >= 3);
    finish.abort();
    await eventually(() => bench.coordinator.item(key).finished);
    await eventually(async () => (await bench.pending()).inFlight === 0);
    expect(started).toBe(1);
    expect(bench.coordinator.results).toHaveLength(1);
  }));
