import { RunLimits, TrialLimits } from '@assay/contracts';
import { reachedBudget, type RunSpending, withinRun } from './index';

const nothing: RunSpending = { calls: 0, promptTokens: 0, completionTokens: 0, costUsd: 0, seconds: 0 };
const run = (limits: Partial<RunLimits> = {}): RunLimits => RunLimits.parse(limits);

test.each<[Partial<RunLimits>, Partial<RunSpending>, string | null]>([
  [{}, { calls: 1e9, promptTokens: 1e12, costUsd: 1e6, seconds: 1e9 }, null],
  [{ calls: 10 }, { calls: 9 }, null],
  [{ calls: 10 }, { calls: 10 }, 'calls'],
  [{ tokens: 100 }, { promptTokens: 60, completionTokens: 39 }, null],
  [{ tokens: 100 }, { promptTokens: 60, completionTokens: 40 }, 'tokens'],
  [{ costUsd: 2.5 }, { costUsd: 2.49 }, null],
  [{ costUsd: 2.5 }, { costUsd: 2.5 }, 'cost'],
  [{ costUsd: 2.5 }, { costUsd: null }, null],
  [{ wallSeconds: 60 }, { seconds: 59.9 }, null],
  [{ wallSeconds: 60 }, { seconds: 60 }, 'time'],
  [{ wallSeconds: 60, calls: 1 }, { seconds: 61, calls: 5 }, 'time'],
])('of %j %j is spent: %s', (limits, spent, reached) => {
  expect(reachedBudget(run(limits), { ...nothing, ...spent })).toBe(reached);
});

test('a trial may not spend more than its run, and its other bounds stay', () => {
  const own = TrialLimits.parse({
    wallSeconds: 60,
    turns: 7,
    costUsd: 1,
    calls: null,
    tokens: 500,
    cpus: 1,
    memoryMb: 1,
    diskMb: 1,
    pids: 1,
  });
  expect(withinRun(own, run({ calls: 20, tokens: 100, costUsd: 9, wallSeconds: 5 }))).toEqual({
    ...own,
    calls: 20,
    tokens: 100,
    costUsd: 1,
  });
  expect(withinRun(own, run())).toEqual(own);
});
