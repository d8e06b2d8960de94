import { PublicResult, type RunId, type RunUsage } from '@assay/contracts';
import { aManifest, completedTrial, failedTrial, graded, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';

let bench: WorkBench;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

const used = (calls: number, costUsd: number | null, estimated = false) =>
  ({ calls, promptTokens: 10 * calls, completionTokens: calls, cachedTokens: 1, costUsd, estimated }) as const;

async function started(): Promise<RunId> {
  return bench.submit({ manifest: aManifest({ retry: { maxAttempts: 3 } }) });
}

async function usageOf(runId: RunId, usage: ReturnType<typeof used>): Promise<RunUsage> {
  await bench.makeDue(workKey(runId));
  await bench.record(await bench.start(workKey(runId)), completedTrial({ usage }));
  await bench.record(await bench.start(workKey(runId, 'grade')), graded());
  return PublicResult.parse((await bench.run(runId))['result']).usage;
}

test('a run took what all its attempts took, those too that were tried again', async () => {
  const runId = await started();
  const failed = { ...failedTrial(), usage: used(2, 0.1) };
  await bench.record(await bench.start(workKey(runId)), failed);
  expect(await usageOf(runId, used(3, 0.2, true))).toEqual({
    calls: 5,
    promptTokens: 50,
    completionTokens: 5,
    cachedTokens: 2,
    costUsd: 0.3,
    estimated: true,
    attempts: 2,
    uncountedAttempts: 0,
  });
});

test('one attempt without a price makes the cost unknown, unless it called no model', async () => {
  expect(await usageOf(await started(), used(3, null))).toMatchObject({ costUsd: null, calls: 3 });
  expect(await usageOf(await started(), used(0, null))).toMatchObject({ costUsd: 0, calls: 0 });
});

test('an attempt that was lost, or failed before it could tell, is said to be uncounted', async () => {
  const runId = await started();
  await bench.record(await bench.start(workKey(runId)), failedTrial());
  await bench.makeDue(workKey(runId));
  await bench.start(workKey(runId));
  await bench.lapse(workKey(runId));
  await bench.expireAll();
  expect(await usageOf(runId, used(1, 1))).toMatchObject({ attempts: 1, uncountedAttempts: 2, costUsd: 1 });
});
