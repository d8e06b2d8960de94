import type { RunId, TrialOutcome } from '@assay/contracts';
import { aManifest, aResult, completedTrial, eventually, workKey } from '@assay/testing';
import { CoordinatorBench } from '../harness/test-coordinator';

// docs/adr/0011-run-budgets.md, against a real PostgreSQL and nats-server.

let bench: CoordinatorBench;
let runId: RunId;
beforeEach(async () => {
  bench = await CoordinatorBench.open();
  await bench.start();
  await bench.announce('trial', 4);
});
afterEach(() => bench.close());

const trial = (instance: string) => workKey(runId, 'trial', instance);
const state = (instance: string) => bench.instanceState(trial(instance));

async function submit(runLimits: object): Promise<void> {
  runId = await bench.submit({ manifest: aManifest({ instances: ['i-1', 'i-2', 'i-3'], runLimits }) });
  await eventually(async () => (await bench.database.query('select 1 from work_items')).length === 3);
}

async function endedTrial(calls: number): Promise<TrialOutcome> {
  const patch = await bench.artifacts.put('patch', 'text/x-diff', Buffer.from('--- a\n'));
  const trajectory = await bench.artifacts.put('trajectory', 'application/json', Buffer.from('{}'));
  const outcome = completedTrial({ patch, trajectory });
  const usage = { calls, promptTokens: 1, completionTokens: 1, cachedTokens: 0, costUsd: null, estimated: false };
  return outcome.kind === 'completed' ? { ...outcome, usage } : outcome;
}

test('the result that uses a run up cancels what nobody holds, and the heartbeat tells those who run', async () => {
  await submit({ calls: 4 });
  const [one, two] = [await bench.hold(trial('i-1')), await bench.hold(trial('i-2'))];
  expect(await bench.beat(two)).toMatchObject({ answer: 'ok' });
  expect(await bench.deliver(aResult(one, await endedTrial(4)))).toEqual({ answer: 'recorded' });
  await eventually(async () => (await state('i-3')) === 'CANCELLED');
  expect(await bench.beat(two)).toMatchObject({ answer: 'spent', budget: 'calls' });
  expect(await bench.claim(trial('i-3'))).toEqual({ answer: 'done' });
});

test('what running trials tell by their heartbeats counts: the one that uses the run up is told at once, the others next', async () => {
  await submit({ tokens: 1000 });
  const [one, two] = [await bench.hold(trial('i-1')), await bench.hold(trial('i-2'))];
  const usage = (promptTokens: number) => ({
    ...{ calls: 3, promptTokens, completionTokens: 0, cachedTokens: 0, costUsd: null, estimated: false },
  });
  expect(await bench.beat(one, 'RUNNING_AGENT', usage(400))).toMatchObject({ answer: 'ok' });
  // Told again: it is the sum so far, not one more.
  expect(await bench.beat(one, 'RUNNING_AGENT', usage(600))).toMatchObject({ answer: 'ok' });
  expect(await bench.beat(two, 'RUNNING_AGENT', usage(400))).toMatchObject({ answer: 'spent', budget: 'tokens' });
  expect(await state('i-3')).toBe('CANCELLED');
  expect(await bench.beat(one, 'RUNNING_AGENT', usage(600))).toMatchObject({ answer: 'spent', budget: 'tokens' });
});

test('the sweep finds a run whose time is over, although no result comes', async () => {
  await submit({ wallSeconds: 3600 });
  const held = await bench.hold(trial('i-1'));
  await bench.database.query("update runs set started_at = now() - interval '1 hour' where id = $1", [runId]);
  await eventually(async () => {
    await bench.beat(held);
    return (await state('i-2')) === 'CANCELLED' && (await state('i-3')) === 'CANCELLED';
  });
  expect(await bench.beat(held)).toMatchObject({ answer: 'spent', budget: 'time' });
});
