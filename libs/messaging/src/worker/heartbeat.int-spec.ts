import { InfraError } from '@assay/failures';
import { traceIdOf } from '@assay/telemetry';
import { eventually } from '@assay/testing';
import { onBench } from '../harness/bench';
import { FAST, granted, keyOf, trialResult, untilAborted } from '../harness/builders';
import type { WorkContext } from './work-types';

const key = keyOf('a');
const accepted = { answer: 'ok', deadline: new Date().toISOString() } as const;

test('the first heartbeat comes at once after the grant and before the work, then one every heartbeatMs', () =>
  onBench(async (bench) => {
    let beatsAtStart = -1;
    await bench.worker({
      kind: 'trial',
      work: ({ signal }) => {
        beatsAtStart = bench.coordinator.seen('heartbeat').length;
        return untilAborted(signal);
      },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('heartbeat').length === 4);
    expect(beatsAtStart).toBe(1);
    const [claim] = bench.coordinator.seen('claim');
    const times = bench.coordinator.seen('heartbeat').map(({ at }) => at);
    expect(times[0]! - claim!.at).toBeLessThan(FAST.heartbeatMs);
    for (const gap of gaps(times)) expect(gap).toBeGreaterThanOrEqual(FAST.heartbeatMs - 20);
    expect(bench.coordinator.seen('heartbeat')[0]?.request).toMatchObject({
      key,
      epoch: 1,
      claimId: claim!.request.claimId,
      phase: 'PREPARING',
    });
  }));

test('every accepted heartbeat is followed by in-progress, so that the message is not delivered again', () =>
  onBench(async (bench) => {
    await bench.worker({ kind: 'trial', slots: 2, work: ({ signal }) => untilAborted(signal) });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('heartbeat').length === 8);
    await eventually(() => bench.verbs.of('+WPI').length === 8);
    const held = bench.verbs.seen.at(-1)!.at - bench.coordinator.seen('claim')[0]!.at;
    expect(held).toBeGreaterThan(FAST.leaseMs);
    expect(bench.coordinator.seen('claim')).toHaveLength(1);
  }));

test('a new phase is told with a heartbeat at once', () =>
  onBench(async (bench) => {
    await bench.worker({
      kind: 'trial',
      work: async ({ phase, signal }) => {
        phase('RUNNING_AGENT');
        await untilAborted(signal);
        return trialResult;
      },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('heartbeat').length === 2);
    const [first, second] = bench.coordinator.seen('heartbeat');
    expect(second?.request.phase).toBe('RUNNING_AGENT');
    expect(second!.at - first!.at).toBeLessThan(FAST.heartbeatMs / 2);
  }));

test('lost kills the work, and no verb and no result is sent for it', () =>
  onBench(async (bench) => {
    let reason: unknown = null;
    await bench.worker({
      kind: 'trial',
      work: async ({ signal }) => {
        await untilAborted(signal).catch((error: unknown) => {
          reason = error;
        });
        return trialResult;
      },
    });
    await bench.wake(key);
    await eventually(() => bench.verbs.of('+WPI').length === 1);
    bench.coordinator.takeAway(key);
    await eventually(() => reason !== null);
    expect(reason).toBeInstanceOf(InfraError);
    expect(reason).toMatchObject({ code: 'lease_lost', message: 'another epoch' });
    // The slot is free again: the next delivery, after the ack deadline, is held by the other.
    await eventually(() => bench.coordinator.seen('claim').length === 2);
    expect(bench.verbs.seen.filter(({ delivery }) => delivery === 1).map(({ verb }) => verb)).toEqual(['+WPI']);
    expect(bench.coordinator.results).toEqual([]);
    expect(bench.log.has('Lease lost')).toBe(true);
  }));

test('lost before the work began: it never begins', () =>
  onBench(async (bench) => {
    bench.coordinator.on('heartbeat', () => ({ answer: 'lost', reason: 'too late' }));
    let started = false;
    await bench.worker({
      kind: 'trial',
      work: () => {
        started = true;
        return Promise.resolve(trialResult);
      },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('claim').length === 2);
    expect(started).toBe(false);
    expect(bench.verbs.seen.filter(({ delivery }) => delivery === 1)).toEqual([]);
  }));

test('without an answer the work and its in-progress go on beyond the lease, and end as ever', () =>
  onBench(async (bench) => {
    const finish = new AbortController();
    const work = async (): Promise<typeof trialResult> => {
      await untilAborted(finish.signal).catch(() => undefined);
      return trialResult;
    };
    await bench.worker({ kind: 'trial', slots: 2, work });
    await bench.wake(key);
    await eventually(() => bench.verbs.of('+WPI').length === 1);
    bench.coordinator.on('heartbeat', () => 'silence');
    const since = performance.now();
    await eventually(() => performance.now() - since > 1.5 * FAST.leaseMs && bench.verbs.of('+WPI').length > 4);
    expect(bench.coordinator.seen('claim')).toHaveLength(1);
    finish.abort();
    await eventually(() => bench.coordinator.item(key).finished);
    await eventually(() => bench.verbs.seen.some(({ verb, consumer }) => verb === '+ACK' && consumer === 't_trial'));
  }));

test('work that reaches its own deadline is aborted and ends as a failure of ours, answered or not', () =>
  onBench(async (bench) => {
    bench.coordinator.on('heartbeat', (_, nth) => (nth === 1 ? accepted : 'silence'));
    let context: WorkContext<'trial'> | null = null;
    await bench.worker({
      kind: 'trial',
      work: (given) => {
        context = given;
        return untilAborted(given.signal);
      },
      worker: { longestWorkMs: () => 1_000 },
    });
    const before = Date.now();
    await bench.wake(key);
    await eventually(() => bench.coordinator.results.length === 1);
    expect(bench.coordinator.results[0]?.message.outcome).toMatchObject({
      kind: 'failed',
      failure: { blame: 'infra', code: 'work_deadline' },
    });
    expect(context!.deadline.getTime() - before).toBeGreaterThanOrEqual(1_000);
  }));

test('a handler that does not heed its deadline is given up a lease later, and its slot waits for it', () =>
  onBench(async (bench) => {
    const finish = new AbortController();
    await bench.worker({
      kind: 'trial',
      work: async () => {
        await untilAborted(finish.signal).catch(() => undefined);
        return trialResult;
      },
      worker: { longestWorkMs: () => 200 },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.item(key).finished);
    expect(bench.coordinator.results[0]?.message.outcome).toMatchObject({ failure: { code: 'work_deadline' } });
    await bench.wake(keyOf('next'));
    await eventually(async () => (await bench.pending()).inFlight === 0);
    expect((await bench.pending()).waiting).toBe(1);
    finish.abort();
    await eventually(async () => (await bench.pending()).waiting === 0);
  }));

test('ensureFresh asks only when the last accepted heartbeat is too old', () =>
  onBench(async (bench) => {
    const counts: number[] = [];
    await bench.worker({
      kind: 'trial',
      work: async ({ ensureFresh }) => {
        counts.push(bench.coordinator.seen('heartbeat').length);
        await ensureFresh(60_000);
        counts.push(bench.coordinator.seen('heartbeat').length);
        await eventually(async () => {
          await ensureFresh(5);
          return bench.coordinator.seen('heartbeat').length > 1;
        });
        counts.push(bench.coordinator.seen('heartbeat').length);
        return trialResult;
      },
    });
    await bench.wake(key);
    await eventually(() => counts.length === 3);
    expect(counts.slice(0, 2)).toEqual([1, 1]);
  }));

test.each([
  ['lost', () => ({ answer: 'lost', reason: 'gone' }) as const],
  ['unanswered', () => 'silence' as const],
])('ensureFresh throws lease_lost when its heartbeat is %s', (_, answer) =>
  onBench(async (bench) => {
    bench.coordinator.on('heartbeat', (_request, nth) => (nth === 1 ? accepted : answer()));
    let thrown: unknown = null;
    await bench.worker({
      kind: 'trial',
      work: async ({ ensureFresh, signal }) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        await ensureFresh(10).catch((error: unknown) => {
          thrown = error;
        });
        return await untilAborted(AbortSignal.any([signal, AbortSignal.timeout(50)]));
      },
    });
    await bench.wake(key);
    await eventually(() => thrown !== null);
    expect(thrown).toMatchObject({ code: 'lease_lost', blame: 'infra' });
  }),
);

test('the work is a span under the grant, and heartbeats and the result carry it', () =>
  onBench(async (bench) => {
    const traceparent = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;
    bench.coordinator.on('claim', ({ key: claimed, claimId }) => {
      Object.assign(bench.coordinator.item(claimed), { epoch: 1, claimId });
      return granted(claimed, { traceparent });
    });
    let seen = '';
    await bench.worker({
      kind: 'trial',
      work: (context) => {
        seen = context.traceparent;
        context.phase('UPLOADING');
        return Promise.resolve(trialResult);
      },
    });
    await bench.wake(key, traceparent);
    await eventually(() => bench.coordinator.results.length === 1);
    expect(traceIdOf(seen)).toBe('c'.repeat(32));
    expect(seen).not.toBe(traceparent);
    expect(bench.coordinator.seen('claim')[0]?.traceparent).toBe(traceparent);
    expect(bench.coordinator.results[0]?.traceparent).toBe(seen);
    expect(
      bench.coordinator
        .seen('heartbeat')
        .slice(1)
        .every((beat) => beat.traceparent === seen),
    ).toBe(true);
  }));

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - times[index]!);
}

test('of a used-up budget of its run the work is told once, and its result is sent', () =>
  onBench(async (bench) => {
    const deadline = new Date(Date.now() + 60_000).toISOString();
    bench.coordinator.on('heartbeat', () => ({ answer: 'spent', budget: 'tokens', deadline }));
    const told: unknown[] = [];
    await bench.worker({
      kind: 'trial',
      work: async ({ runBudget, signal }) => {
        if (!runBudget.spent.aborted) await untilAborted(runBudget.spent).catch(() => undefined);
        told.push(runBudget.reached());
        expect(signal.aborted).toBe(false);
        return trialResult;
      },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.results.length === 1);
    expect(told).toEqual(['tokens']);
    await eventually(() => bench.verbs.seen.some(({ verb, consumer }) => verb === '+ACK' && consumer === 't_trial'));
    expect(bench.log.has('Lease lost')).toBe(false);
  }));

test('a heartbeat tells what the work has spent so far, from the moment that it says so', () =>
  onBench(async (bench) => {
    let calls = 0;
    await bench.worker({
      kind: 'trial',
      work: async ({ spending, phase, signal }) => {
        spending(() => {
          calls += 1;
          return { calls, promptTokens: 2, completionTokens: 1, cachedTokens: 0, costUsd: null, estimated: false };
        });
        phase('RUNNING_AGENT');
        await untilAborted(signal).catch(() => undefined);
        return trialResult;
      },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('heartbeat').length >= 3);
    const [first, second, third] = bench.coordinator.seen('heartbeat').map(({ request }) => request.usage);
    expect([first, second?.calls, third?.calls]).toEqual([null, 1, 2]);
  }));
