import { ArtifactRef, type FrozenPrediction, type Manifest, type RunId } from '@assay/contracts';
import { aFailure, aManifest, digestOf, failedGrade, graded, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import { enqueueRun } from '../index';
import { instanceHistory } from '../runs/instance-history';

// A grade-only run: predictions stand where trials would.

let bench: WorkBench;
let runId: RunId;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  await bench.reset();
  runId = await bench.submit({ manifest: gradeOnly() });
});

const artifact = (name: string): ArtifactRef =>
  ArtifactRef.parse({ name, digest: digestOf(name), size: 9, mediaType: 'text/plain' });
const PREDICTED: FrozenPrediction = {
  model: 'mine/7b',
  patch: artifact('patch'),
  trajectory: artifact('trajectory'),
};
const EMPTY: FrozenPrediction = { model: 'mine/7b', patch: null, trajectory: null };

function gradeOnly(): Manifest {
  const manifest = aManifest({ instances: ['i-1', 'i-2'] });
  const predictions = [PREDICTED, EMPTY];
  return {
    ...manifest,
    instances: manifest.instances.map((instance, index) => ({ ...instance, prediction: predictions[index] })),
  };
}

const grade = (instance = 'i-1') => workKey(runId, 'grade', instance);

test('its instances are GRADING at once, with a wake-up each and no trial', async () => {
  expect(await bench.claim(workKey(runId))).toEqual({ answer: 'done' });
  expect(await bench.instance(grade())).toMatchObject({ state: 'GRADING', attempts: 0 });
  const subjects = (await bench.unsent()).map(({ subject }) => subject);
  expect(subjects).toEqual(['i-1', 'i-2'].map((id) => bench.protocol.names.work(grade(id))));
  expect(await bench.events(runId)).toEqual(['run.enqueued']);
});

test('a second call opens nothing more', async () => {
  expect(await bench.database.transaction((sql) => enqueueRun(sql, runId, bench.protocol))).toBe(0);
  expect(await bench.tries('trial', runId)).toHaveLength(2);
  expect(await bench.unsent()).toHaveLength(2);
});

test('a grade gets the patch that was handed in, said to be a prediction, and the image of the instance itself', async () => {
  const { spec, attempt } = await bench.grant(grade());
  expect(spec).toMatchObject({ kind: 'grade', patch: PREDICTED.patch, patchOrigin: 'prediction', imageId: null });
  expect(attempt).toBe(1);
  expect((await bench.grant(grade('i-2'))).spec).toMatchObject({ patch: null, patchOrigin: 'prediction' });
});

test('patch and trajectory stand in the history of the instance', async () => {
  const history = await instanceHistory(bench.database, runId, 'i-1');
  expect([...history.values()].flat()).toMatchObject([
    {
      kind: 'trial',
      number: 1,
      state: 'COMPLETED',
      worker: 'handed in',
      artifacts: [PREDICTED.patch, PREDICTED.trajectory],
    },
  ]);
});

test('one that does not apply is EXECUTION_ERROR at once, and its own fault', async () => {
  const held = await bench.start(grade());
  await bench.record(held, failedGrade(aFailure('task', 'patch_apply_failed')));
  expect(await bench.instance(grade())).toMatchObject({
    state: 'EXECUTION_ERROR',
    failure: { blame: 'task', code: 'patch_apply_failed' },
  });
});

test('our fault repeats the grade', async () => {
  await bench.record(await bench.start(grade()), failedGrade(aFailure('infra', 'engine_unavailable')));
  expect(await bench.instance(grade())).toMatchObject({ state: 'RETRY_WAIT' });
  await bench.record(await bench.start(grade()), graded('RESOLVED'));
  expect(await bench.instance(grade())).toMatchObject({ state: 'RESOLVED' });
});

test('the run ends SUCCEEDED without a score, though there is no trajectory of ours', async () => {
  await bench.record(await bench.start(grade()), graded('RESOLVED'));
  const { finished } = await bench.record(await bench.start(grade('i-2')), graded('UNRESOLVED'));
  expect(finished).toMatchObject({ state: 'SUCCEEDED', counts: { total: 2, resolved: 1, unresolved: 1 } });
  expect((await bench.run(runId))['result']).toMatchObject({ score: null, status: 'SUCCEEDED' });
});
