import type { RunId, RunLimits, TrialOutcome } from '@assay/contracts';
import { aFailure, aManifest, completedTrial, failedTrial, graded, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import { limitedRuns, spendRun, type SpentRun } from '../index';

// docs/adr/0011-run-budgets.md

let bench: WorkBench;
let runId: RunId;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

const trial = (instance: string) => workKey(runId, 'trial', instance);
const spend = (): Promise<SpentRun | null> => bench.database.transaction((sql) => spendRun(sql, runId, bench.protocol));
const state = async (instance: string) => (await bench.instance(trial(instance)))['state'];

async function submit(runLimits: Partial<RunLimits>, instances = ['i-1', 'i-2', 'i-3']): Promise<void> {
  runId = await bench.submit({ manifest: aManifest({ instances, runLimits, retry: { backoffSeconds: 60 } }) });
}

/** A trial that spent so much. */
function spent(usage: Partial<TrialOutcome & { kind: 'completed' }>['usage'] & object): TrialOutcome {
  return { ...completedTrial(), usage };
}

const usage = (over: object) => ({
  calls: 4,
  promptTokens: 60,
  completionTokens: 40,
  cachedTokens: 0,
  costUsd: 0.5,
  estimated: false,
  ...over,
});

test.each<[Partial<RunLimits>, object, string]>([
  [{ calls: 4 }, {}, 'calls'],
  [{ tokens: 100 }, {}, 'tokens'],
  [{ costUsd: 0.5 }, {}, 'cost'],
])('of %j %j: trials that nobody holds are CANCELLED, told why, and woken no more', async (limits, over, budget) => {
  await submit(limits);
  await bench.start(trial('i-2'));
  await bench.record(await bench.start(trial('i-1')), spent(usage(over)));
  expect(await spend()).toMatchObject({ budget, isNew: true, cancelledInstances: 1, finished: null });
  expect([await state('i-1'), await state('i-2'), await state('i-3')]).toEqual(['GRADING', 'PREPARING', 'CANCELLED']);
  expect(await bench.instance(trial('i-3'))).toMatchObject({
    failure: { code: 'run_budget_reached', details: { budget } },
  });
  expect(await bench.item(trial('i-3'))).toMatchObject({ state: 'DONE', epoch: 1 });
  expect((await bench.unsent()).map(({ subject }) => subject)).not.toContain(bench.protocol.names.work(trial('i-3')));
});

describe('what trials told by their heartbeats', () => {
  test('counts while they run, each with its last word', async () => {
    await submit({ calls: 10 });
    const [one, two] = [await bench.start(trial('i-1')), await bench.start(trial('i-2'))];
    await bench.beat(one, 'RUNNING_AGENT', usage({ calls: 3 }));
    await bench.beat(one, 'RUNNING_AGENT', usage({ calls: 6 }));
    await bench.beat(two, 'RUNNING_AGENT', usage({ calls: 3 }));
    expect(await spend()).toBeNull();
    await bench.beat(two, 'RUNNING_AGENT', usage({ calls: 4 }));
    expect(await spend()).toMatchObject({ budget: 'calls', cancelledInstances: 1 });
  });

  test('gives way to the count of the result, and is never added to it', async () => {
    await submit({ calls: 10 });
    const held = await bench.start(trial('i-1'));
    await bench.beat(held, 'RUNNING_AGENT', usage({ calls: 9 }));
    await bench.record(held, spent(usage({ calls: 9 })));
    expect(await spend()).toBeNull();
    await bench.beat(await bench.start(trial('i-2')), 'RUNNING_AGENT', usage({ calls: 1 }));
    expect(await spend()).toMatchObject({ budget: 'calls' });
  });

  test.each<[string, (held: Awaited<ReturnType<typeof bench.start>>) => Promise<unknown>]>([
    [
      'was lost',
      async () => {
        await bench.lapse(trial('i-1'));
        return bench.expireAll();
      },
    ],
    ['was given back', (held) => bench.release(held)],
    ['failed without a count', (held) => bench.record(held, { ...failedTrial(), usage: null } as TrialOutcome)],
  ])('counts still of a try that %s, beside the next', async (_how, end) => {
    await submit({ calls: 10 });
    const held = await bench.start(trial('i-1'));
    await bench.beat(held, 'RUNNING_AGENT', usage({ calls: 6 }));
    await end(held);
    await bench.makeDue(trial('i-1'));
    const again = await bench.start(trial('i-1'));
    await bench.beat(again, 'RUNNING_AGENT', usage({ calls: 3 }));
    expect(await spend()).toBeNull();
    await bench.beat(again, 'RUNNING_AGENT', usage({ calls: 4 }));
    expect(await spend()).toMatchObject({ budget: 'calls' });
  });

  test('of a heartbeat that is lost changes nothing, and one with the first heartbeat counts', async () => {
    await submit({ calls: 5 });
    const held = await bench.grant(trial('i-1'));
    await bench.beat({ ...held, epoch: held.epoch + 1 }, 'RUNNING_AGENT', usage({ calls: 5 }));
    expect(await spend()).toBeNull();
    expect(await bench.beat(held, 'RUNNING_AGENT', usage({ calls: 5 }))).toMatchObject({
      started: true,
      countsForBudget: true,
    });
    expect(await spend()).toMatchObject({ budget: 'calls' });
  });

  test('is no part of the result of a run: there a try without a count is said to have none', async () => {
    await submit({ calls: 100 }, ['i-1']);
    await bench.beat(await bench.start(trial('i-1')), 'RUNNING_AGENT', usage({ calls: 6 }));
    await bench.lapse(trial('i-1'));
    await bench.expireAll();
    await bench.makeDue(trial('i-1'));
    await bench.record(await bench.start(trial('i-1')), spent(usage({ calls: 2 })));
    await bench.record(await bench.start(workKey(runId, 'grade', 'i-1')), graded());
    expect(await bench.run(runId)).toMatchObject({ result: { usage: { calls: 2, uncountedAttempts: 1 } } });
  });
});

test('a run that has spent less, or has no budget, goes on', async () => {
  await submit({ calls: 5, tokens: 101, costUsd: 0.51, wallSeconds: 3600 });
  await bench.record(await bench.start(trial('i-1')), spent(usage({})));
  expect(await spend()).toBeNull();
  expect(await limitedRuns(bench.database)).toEqual([runId]);
  await submit({});
  await bench.record(await bench.start(trial('i-1')), spent(usage({})));
  expect(await spend()).toBeNull();
  expect(await limitedRuns(bench.database)).not.toContain(runId);
});

test('what tries cost that failed counts too, over all instances', async () => {
  await submit({ calls: 8 });
  const failed = { ...failedTrial(aFailure('infra')), usage: usage({}) } as TrialOutcome;
  await bench.record(await bench.start(trial('i-1')), failed);
  expect(await spend()).toBeNull();
  await bench.record(await bench.start(trial('i-2')), spent(usage({})));
  expect(await spend()).toMatchObject({ budget: 'calls', cancelledInstances: 2 });
  expect([await state('i-1'), await state('i-3')]).toEqual(['CANCELLED', 'CANCELLED']);
});

test('the time of a run counts from its first trial on', async () => {
  await submit({ wallSeconds: 60 });
  expect(await spend()).toBeNull();
  await bench.start(trial('i-1'));
  await bench.database.query("update runs set started_at = now() - interval '59 seconds'");
  expect(await spend()).toBeNull();
  await bench.database.query("update runs set started_at = now() - interval '60 seconds'");
  expect(await spend()).toMatchObject({ budget: 'time', cancelledInstances: 2 });
});

test('whoever runs a trial is told by its heartbeat, goes on holding it, and its result is taken', async () => {
  await submit({ calls: 4 });
  const held = await bench.start(trial('i-2'));
  await bench.record(await bench.start(trial('i-1')), spent(usage({})));
  await spend();
  expect(await bench.beat(held)).toMatchObject({ answer: 'spent', budget: 'calls' });
  const ended = { ...completedTrial(), limit: 'calls' } as TrialOutcome;
  expect((await bench.record(held, ended)).reply).toEqual({ answer: 'recorded' });
  expect(await bench.instance(trial('i-2'))).toMatchObject({ state: 'GRADING', reached_limit: 'calls' });
});

test('a grade is told nothing of it and goes on', async () => {
  await submit({ calls: 4 }, ['i-1', 'i-2']);
  await bench.record(await bench.start(trial('i-1')), spent(usage({})));
  const grade = await bench.start(workKey(runId, 'grade', 'i-1'));
  await spend();
  expect(await bench.beat(grade)).toMatchObject({ answer: 'ok' });
});

test('nobody is granted a trial any more; one that comes back to the queue is CANCELLED by the next look', async () => {
  await submit({ calls: 4 });
  const held = await bench.start(trial('i-2'));
  await bench.record(await bench.start(trial('i-1')), spent(usage({})));
  await spend();
  await bench.record(held, failedTrial(aFailure('infra')));
  expect(await state('i-2')).toBe('RETRY_WAIT');
  await bench.database.query("update work_items set run_at = now() where instance_id = 'i-2'");
  expect(await bench.claim(trial('i-2'))).toEqual({ answer: 'waiting' });
  expect(await spend()).toMatchObject({ isNew: false, cancelledInstances: 1 });
  expect(await state('i-2')).toBe('CANCELLED');
});

test('the run is quarantined when its last instance has ended, and its result says which budget and why', async () => {
  await submit({ tokens: 100 }, ['i-1', 'i-2']);
  await bench.record(await bench.start(trial('i-1')), spent(usage({})));
  await spend();
  await bench.record(await bench.start(workKey(runId, 'grade', 'i-1')), graded());
  expect(await bench.run(runId)).toMatchObject({
    state: 'QUARANTINED',
    budget_reached: 'tokens',
    result: {
      score: null,
      gate: { budgetReached: 'tokens' },
      counts: { resolved: 1, cancelled: 1 },
      reasons: [{ code: 'instances_cancelled' }, { code: 'run_budget_reached' }],
    },
  });
});

test('it is quarantined too when all were running: some of them were cut short', async () => {
  await submit({ calls: 4 }, ['i-1', 'i-2']);
  const held = await bench.start(trial('i-2'));
  await bench.record(await bench.start(trial('i-1')), spent(usage({})));
  expect(await spend()).toMatchObject({ cancelledInstances: 0, isNew: true });
  await bench.record(held, { ...completedTrial(), limit: 'calls' } as TrialOutcome);
  for (const instance of ['i-1', 'i-2'])
    await bench.record(await bench.start(workKey(runId, 'grade', instance)), graded());
  expect(await bench.run(runId)).toMatchObject({
    state: 'QUARANTINED',
    result: { reasons: [{ code: 'run_budget_reached' }] },
  });
});

test('a budget that the last trial used up has cut nothing short: the run is whole', async () => {
  await submit({ calls: 4 }, ['i-1']);
  await bench.record(await bench.start(trial('i-1')), spent(usage({})));
  expect(await spend()).toBeNull();
  await bench.record(await bench.start(workKey(runId, 'grade', 'i-1')), graded());
  expect(await bench.run(runId)).toMatchObject({ state: 'SUCCEEDED', budget_reached: null });
});

test('when the last that was open is cancelled, the run is decided at once, and a further look changes nothing', async () => {
  await submit({ calls: 4 }, ['i-1', 'i-2']);
  const outcome = { ...failedTrial(aFailure('agent')), usage: usage({}) } as TrialOutcome;
  await bench.record(await bench.start(trial('i-1')), outcome);
  expect(await spend()).toMatchObject({ finished: { state: 'QUARANTINED' } });
  expect(await spend()).toBeNull();
});

test('the grant tells a trial no more than its run has', async () => {
  await submit({ calls: 7, tokens: 900 });
  const reply = await bench.claim(trial('i-1'));
  expect(reply).toMatchObject({ answer: 'granted', spec: { limits: { calls: 7, tokens: 900, costUsd: null } } });
});
