import { AgentError } from '@assay/failures';
import type { TrialOutcome } from '@assay/contracts';
import { eventually } from '@assay/testing';
import { type Bench, onBench } from '../harness/bench';
import { FAST, gradeSpec, granted, keyOf, trialResult } from '../harness/builders';

const key = keyOf('a');
const works = () => Promise.resolve(trialResult);

/** Verbs for the work message, without those for results. */
function verbsOf(bench: Bench): string[] {
  return bench.verbs.seen.filter(({ consumer }) => consumer === 't_trial').map(({ verb }) => verb);
}

test('the message is acked only after the result is answered; until then the result is repeated and the lease held', () =>
  onBench(async (bench) => {
    const answers = [null, null, 'recorded'] as const;
    bench.coordinator.onResult = (message, nth) => {
      const answer = answers[nth - 1] ?? null;
      return answer === null ? null : bench.coordinator.record(message);
    };
    await bench.worker({ kind: 'trial', work: works, timings: { ...FAST, resultAckWaitMs: 700 } });
    await bench.wake(key);
    await eventually(() => bench.coordinator.results.length === 2);
    expect(verbsOf(bench)).not.toContain('+ACK');
    await eventually(() => verbsOf(bench).includes('+ACK'));
    expect(bench.coordinator.results).toHaveLength(3);
    expect(bench.coordinator.seen('heartbeat').length).toBeGreaterThan(2);
    const [first, second] = bench.coordinator.results;
    expect(second?.message).toEqual(first?.message);
    await eventually(async () => (await bench.pending()).inFlight === 0);
  }));

test('a result that was recorded before is recorded: the message is acked', () =>
  onBench(async (bench) => {
    bench.coordinator.onResult = () => ({ answer: 'already_recorded' });
    await bench.worker({ kind: 'trial', work: works });
    await bench.wake(key);
    await eventually(() => verbsOf(bench).includes('+ACK'));
  }));

test('a result waits in its stream while no coordinator takes it, one copy of it, and is then recorded', () =>
  onBench(async (bench) => {
    await bench.coordinator.leaveResults();
    await bench.worker({ kind: 'trial', work: works });
    await bench.wake(key);
    await eventually(() => bench.log.has('Work ended'));
    const before = bench.coordinator.seen('heartbeat').length;
    await eventually(() => bench.coordinator.seen('heartbeat').length >= before + 4);
    const manager = await bench.link.manager();
    expect((await manager.streams.info(bench.link.names.resultStream)).state.messages).toBe(1);
    expect(await bench.provisioner.storedResult(key)).toMatchObject({ message: { key, kind: 'trial' } });
    bench.coordinator.takeResultsAgain();
    await eventually(() => verbsOf(bench).includes('+ACK'));
    // It may be delivered twice where the first ack is late; it is one result.
    const taken = bench.coordinator.results.map(({ message }) => message);
    expect(taken.length).toBeGreaterThan(0);
    for (const message of taken) expect(message).toEqual(taken[0]);
  }));

test('a refused result of work that is still held is acked', () =>
  onBench(async (bench) => {
    bench.coordinator.onResult = () => ({ answer: 'refused', reason: 'an artifact is missing' });
    await bench.worker({ kind: 'trial', work: works });
    await bench.wake(key);
    await eventually(() => verbsOf(bench).includes('+ACK'));
    expect(bench.log.has('Result refused')).toBe(true);
  }));

test('a refused result of work that is lost sends no verb', () =>
  onBench(async (bench) => {
    await bench.worker({
      kind: 'trial',
      work: () => {
        bench.coordinator.takeAway(key);
        return works();
      },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.seen('claim').length === 2);
    expect(bench.coordinator.results).toHaveLength(1);
    const first = bench.verbs.seen.filter(({ consumer, delivery }) => consumer === 't_trial' && delivery === 1);
    expect(first.map(({ verb }) => verb)).toEqual(['+WPI']);
  }));

test('a heartbeat that meets the result just recorded is answered lost, and the result still counts', () =>
  onBench(async (bench) => {
    let recorded = false;
    bench.coordinator.on('heartbeat', (request) =>
      recorded ? { answer: 'lost', reason: 'finished' } : bench.coordinator.heartbeat(request),
    );
    bench.coordinator.onResult = () => {
      const first = !recorded;
      recorded = true;
      // The first answer is late: the second delivery of the result brings one.
      return first ? null : { answer: 'already_recorded' };
    };
    await bench.worker({ kind: 'trial', work: works, timings: { ...FAST, resultAckWaitMs: 300, rpcTimeoutMs: 2_000 } });
    await bench.wake(key);
    await eventually(() => recorded);
    await eventually(() => verbsOf(bench).includes('+ACK'));
  }));

test('what the handler throws is a failed outcome with its blame and the phase it happened in', () =>
  onBench(async (bench) => {
    await bench.worker({
      kind: 'trial',
      work: ({ phase }) => {
        phase('RUNNING_AGENT');
        return Promise.reject(new AgentError('exit 1', { code: 'agent_crashed', phase: 'agent' }));
      },
    });
    await bench.wake(key);
    await bench.wake(keyOf('b'));
    await eventually(() => bench.coordinator.results.length === 2);
    expect(bench.coordinator.results[0]?.message).toMatchObject({
      artifacts: [],
      outcome: { kind: 'failed', failure: { blame: 'agent', code: 'agent_crashed', phase: 'agent' }, usage: null },
    });
  }));

test('something that is no error of ours is our fault in the phase of the work', () =>
  onBench(async (bench) => {
    await bench.worker({
      kind: 'trial',
      work: ({ phase }) => {
        phase('UPLOADING');
        return Promise.reject(new TypeError('x is not a function'));
      },
    });
    await bench.wake(key);
    await eventually(() => bench.coordinator.results.length === 1);
    expect(bench.coordinator.results[0]?.message.outcome).toMatchObject({
      failure: { blame: 'infra', code: 'unknown', phase: 'upload' },
    });
  }));

test('an outcome that breaks the contract is sent as a failure, so that the work ends', () =>
  onBench(async (bench) => {
    const broken = { kind: 'completed', patch: 7 } as unknown as TrialOutcome;
    await bench.worker({ kind: 'trial', work: () => Promise.resolve({ outcome: broken, artifacts: [] }) });
    await bench.wake(key);
    await eventually(() => bench.coordinator.item(key).finished);
    expect(bench.coordinator.results[0]?.message.outcome).toMatchObject({
      kind: 'failed',
      failure: { blame: 'contract', code: 'malformed_outcome' },
    });
  }));

test("a caller's own hook makes the failed outcome", () =>
  onBench(async (bench) => {
    const key2 = keyOf('a', { kind: 'grade' });
    bench.coordinator.on('claim', ({ claimId }) => {
      Object.assign(bench.coordinator.item(key2), { epoch: 1, claimId });
      return granted(key2);
    });
    const failure = { blame: 'task', code: 'tests_timed_out', message: 'm', phase: 'grade', details: {} } as const;
    await bench.worker({
      kind: 'grade',
      work: () => Promise.reject(new Error('tests')),
      worker: { toFailedOutcome: (_error, { kind }) => ({ kind: 'failed', failure, graderVersion: `own of ${kind}` }) },
    });
    await bench.wake(key2);
    await eventually(() => bench.coordinator.results.length === 1);
    expect(bench.coordinator.results[0]?.message.outcome).toEqual({
      kind: 'failed',
      failure,
      graderVersion: 'own of grade',
    });
    expect(gradeSpec('a').grader.version).toBe('g1');
  }));
