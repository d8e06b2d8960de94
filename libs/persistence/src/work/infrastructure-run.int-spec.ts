import { PublicResult } from '@assay/contracts';
import { aFailure, aManifest, completedTrial, failedTrial, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';

// An infrastructure check: each instance ends with its trial, and there is nothing to grade.

let bench: WorkBench;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

const check = (instances: string[], maxAttempts = 4) =>
  bench.submit({
    manifest: aManifest({
      instances,
      retry: { maxAttempts },
      suite: { kind: 'infrastructure', publish: 'counts', benchmarkSize: 2, errorThreshold: 1 },
    }),
  });

/** What the probe leaves: no patch, no exchange with a model. */
const probed = () =>
  completedTrial({ patch: null, model: { usesModel: true, completedExchanges: 0, lastFailedUpstream: false } });

test('an instance whose sandbox was there is over without a grade, and the run has counts and no score', async () => {
  const runId = await check(['i-1', 'i-2']);
  const first = await bench.record(await bench.start(workKey(runId, 'trial', 'i-1')), probed());
  expect(first.finished).toBeNull();
  const last = await bench.record(await bench.start(workKey(runId, 'trial', 'i-2')), probed());
  expect(last.finished).toMatchObject({ state: 'SUCCEEDED', reasons: [], counts: { total: 2, resolved: 2 } });
  const result = PublicResult.parse((await bench.run(runId))['result']);
  expect(result).toMatchObject({ score: null, gate: { kind: 'infrastructure' } });
  expect(result.instances).toMatchObject([{ state: 'RESOLVED', hasResult: false, hasTrajectory: true }, {}]);
  const grades = await bench.database.query("select 1 from work_items where kind = 'grade'");
  expect(grades).toEqual([]);
});

test('the same result again changes nothing', async () => {
  const runId = await check(['i-1', 'i-2']);
  const trial = await bench.start(workKey(runId, 'trial', 'i-1'));
  await bench.record(trial, probed());
  expect((await bench.record(trial, probed())).finished).toBeNull();
  const rows = await bench.database.query<{ state: string }>('select state from instances order by instance_id');
  expect(rows.map(({ state }) => state)).toEqual(['RESOLVED', 'QUEUED']);
});

test('a sandbox that could not be had quarantines the run', async () => {
  const runId = await check(['i-1', 'i-2'], 1);
  await bench.record(await bench.start(workKey(runId, 'trial', 'i-1')), probed());
  const failed = failedTrial(aFailure('infra', 'probe_failed'));
  const { finished } = await bench.record(await bench.start(workKey(runId, 'trial', 'i-2')), failed);
  expect(finished).toMatchObject({ state: 'QUARANTINED', reasons: [{ code: 'too_many_errors' }] });
});
