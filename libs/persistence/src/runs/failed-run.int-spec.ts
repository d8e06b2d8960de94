import { randomUUID } from 'node:crypto';
import { FailedResult, names, Namespace, RunId, SubmitRequest } from '@assay/contracts';
import { completedTrial, graded, workKey, writtenPublication } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import { failWaiting, type FailedSuite, insertSubmission } from '../index';

let bench: WorkBench;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

const RELEASE = { repository: 'example/agent', id: 7, tag: 'v1.0.0' };
const LATE = { code: 'agent_package_missing', message: 'npm has no version 1.0.0 after 90 minutes (ETARGET)' };
const SUITE: FailedSuite = { title: 'Demo', publishes: true };

/** A run that waits, of a release whose commit and version nobody knows yet. */
async function waiting(over: Record<string, unknown> = {}): Promise<RunId> {
  const request = SubmitRequest.parse({
    suite: 'demo',
    evaluated: { ref: 'v1.0.0' },
    model: 'some-model',
    trigger: 'release',
    release: RELEASE,
    ...over,
  });
  const runId = RunId.parse(randomUUID());
  const rest = { repository: '', idempotencyKey: runId, origin: null, traceparent: null };
  await insertSubmission(bench.database, { runId, request, ...rest });
  return runId;
}

interface Ending {
  readonly failure?: { code: string; message: string };
  readonly suite?: FailedSuite | null;
}

function fail(runId: RunId, { failure = LATE, suite = SUITE }: Ending = {}): Promise<boolean> {
  const subjects = names(Namespace.parse('bench'));
  return bench.database.transaction((sql) => failWaiting(sql, { runId, failure, suite, names: subjects }));
}

const resultOf = async (runId: RunId): Promise<FailedResult> => FailedResult.parse((await bench.run(runId))['result']);

test('a run that was never frozen is published with its cause, without commit, version or manifest', async () => {
  const runId = await waiting();
  expect(await fail(runId)).toBe(true);
  expect(await bench.run(runId)).toMatchObject({ state: 'FAILED', manifest: null, publication_state: 'PENDING' });
  const granted = await bench.grant(workKey(runId, 'publication'));
  expect(granted.spec).toMatchObject({
    kind: 'publication',
    phase: 'write',
    ...{ repository: 'example/agent', releaseId: 7, tag: 'v1.0.0' },
    cases: [],
    result: {
      status: 'FAILED',
      suite: 'demo',
      title: 'Demo',
      evaluated: { ref: 'v1.0.0', commit: null, packageVersion: null },
      failure: LATE,
    },
  });
});

test('the work, its wake-up and the state stand or fall together', async () => {
  const runId = await waiting();
  const subjects = names(Namespace.parse('bench'));
  const failed = bench.database.transaction(async (sql) => {
    await failWaiting(sql, { runId, failure: LATE, suite: SUITE, names: subjects });
    throw new Error('the dispatcher died');
  });
  await expect(failed).rejects.toThrow('died');
  expect(await bench.run(runId)).toMatchObject({ state: 'WAITING', publication_state: 'NONE', result: null });
  expect(await bench.claim(workKey(runId, 'publication'))).toEqual({ answer: 'done' });
  await fail(runId);
  expect(await bench.unsent()).toEqual([{ subject: `bench.work.publication.${runId}.release`, seconds: 0 }]);
});

test('it is written, read again and published like any other', async () => {
  const runId = await waiting();
  await fail(runId);
  const held = await bench.start(workKey(runId, 'publication'));
  expect((await bench.record(held, writtenPublication())).next).toBe('verify');
  expect(await bench.run(runId)).toMatchObject({ state: 'FAILED', publication_state: 'WRITTEN' });
});

test('a suite that is unknown or broken is named by its name', async () => {
  const runId = await waiting();
  await fail(runId, { suite: null });
  expect(await resultOf(runId)).toMatchObject({ title: 'demo', suite: 'demo' });
  expect(await bench.claim(workKey(runId, 'publication'))).toMatchObject({ answer: 'granted' });
});

test.each([
  ['the suite publishes nothing', {}, { suite: { title: 'Demo', publishes: false } }],
  [
    'there is no release',
    { release: undefined, evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' } },
    {},
  ],
])('nothing is published where %s, and the result is there all the same', async (_why, over, ending: Ending) => {
  const runId = await waiting(over);
  await fail(runId, ending);
  expect(await bench.run(runId)).toMatchObject({ state: 'FAILED', publication_state: 'NONE' });
  expect(await bench.claim(workKey(runId, 'publication'))).toEqual({ answer: 'done' });
  expect((await resultOf(runId)).failure).toEqual(LATE);
});

test('the operator reads the whole cause, the public one without paths, addresses and secrets', async () => {
  const secret = `ghp_${'a1'.repeat(18)}`;
  const message = `/srv/assay/suites/demo.yaml:1:1 is broken; asked http://10.0.0.7:4873 with ${secret}`;
  const runId = await waiting();
  await fail(runId, { failure: { code: 'suite_invalid', message } });
  expect(await bench.run(runId)).toMatchObject({ last_error: message });
  const { failure } = await resultOf(runId);
  expect(failure.message).toBe('[…]/demo.yaml:1:1 is broken; asked [address] with [redacted]');
});

test('a later run of the release takes its place, as it takes that of any other', async () => {
  const failed = await waiting();
  await fail(failed);
  const later = await bench.submit({ release: RELEASE });
  await bench.record(await bench.start(workKey(later)), completedTrial());
  await bench.record(await bench.start(workKey(later, 'grade')), graded());
  expect(await bench.run(failed)).toMatchObject({ state: 'FAILED', publication_state: 'SUPERSEDED' });
  expect(await bench.claim(workKey(failed, 'publication'))).toEqual({ answer: 'done' });
});
