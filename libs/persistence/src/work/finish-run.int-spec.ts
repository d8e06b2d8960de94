import { PublicResult, type RunId } from '@assay/contracts';
import {
  aClaim,
  aFailure,
  aManifest,
  completedTrial,
  digestOf,
  failedTrial,
  graded,
  seedRun,
  workKey,
  type ManifestSeed,
} from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import { announceWorker, enqueueRun, finishRunIfDone, noteStalledRuns, undecidedRuns, unopenedRuns } from '../index';

// Design section 3a, "end of a run"; design rule 5 as it is stored.

let bench: WorkBench;
let runId: RunId;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

const RELEASE = { repository: 'example/agent', id: 7, tag: 'v1.0.0' };

async function submit(instances: readonly string[], seed: ManifestSeed = {}, release = false): Promise<void> {
  const manifest = aManifest({ instances, ...seed });
  const root = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;
  runId = await bench.submit({ manifest, traceparent: root, ...(release ? { release: RELEASE } : {}) });
}

type End = 'RESOLVED' | 'UNRESOLVED' | 'EXECUTION_ERROR';

/** Brings an instance to its end through trial and grade; resolves with the run's end, if this was the last. */
async function bring(instance: string, end: End, suspicions: readonly string[] = []) {
  const trial = await bench.start(workKey(runId, 'trial', instance));
  if (end === 'EXECUTION_ERROR') {
    return (await bench.record(trial, failedTrial(aFailure('agent', 'agent_crashed')))).finished;
  }
  await bench.record(trial, completedTrial());
  const grade = await bench.start(workKey(runId, 'grade', instance));
  return (await bench.record(grade, graded(end, suspicions))).finished;
}

test('a run ends in the transaction of its last instance, not before', async () => {
  await submit(['i-1', 'i-2', 'i-3']);
  expect(await bring('i-1', 'RESOLVED')).toBeNull();
  expect(await bring('i-2', 'EXECUTION_ERROR')).toBeNull();
  expect(await bench.run(runId)).toMatchObject({ state: 'RUNNING', result: null, finished_at: null });
  expect(await bring('i-3', 'UNRESOLVED')).toMatchObject({ runId, state: 'SUCCEEDED' });
  expect(await bench.run(runId)).toMatchObject({ state: 'SUCCEEDED', finished_at: expect.any(Date) as Date });
});

test('its result is a whole public result whose counts come from the rows', async () => {
  await submit(['i-1', 'i-2', 'i-3', 'i-4']);
  await bring('i-1', 'RESOLVED', ['odd_exit']);
  await bring('i-2', 'EXECUTION_ERROR');
  await bring('i-3', 'RESOLVED');
  await bring('i-4', 'UNRESOLVED');
  const result = PublicResult.parse((await bench.run(runId))['result']);
  expect(result).toMatchObject({
    status: 'SUCCEEDED',
    counts: { total: 4, resolved: 2, unresolved: 1, executionError: 1, infraFailed: 0, cancelled: 0 },
    score: null,
    reasons: [],
    traceId: 'c'.repeat(32),
    maxAttempts: 4,
  });
  expect(result.instances).toMatchObject([
    { id: 'i-1', state: 'RESOLVED', attempts: 1, failure: null, suspicions: ['odd_exit'] },
    { id: 'i-2', state: 'EXECUTION_ERROR', failure: 'agent_crashed' },
    { id: 'i-3', state: 'RESOLVED' },
    { id: 'i-4', state: 'UNRESOLVED' },
  ]);
});

test('a whole benchmark that publishes scores gets its score, with all that must stand beside it', async () => {
  await submit(['i-1', 'i-2'], { suite: { publish: 'score', benchmarkSize: 2, errorThreshold: 1 } });
  await bring('i-1', 'RESOLVED');
  await bring('i-2', 'UNRESOLVED');
  const result = PublicResult.parse((await bench.run(runId))['result']);
  expect(result.score).toMatchObject({ percent: 50, scorable: 2, percentOfAll: 50, coveragePercent: 100 });
});

test('too many errors quarantine it: reasons and no score', async () => {
  await submit(['i-1', 'i-2'], { suite: { errorThreshold: 1 } });
  await bring('i-1', 'RESOLVED');
  expect(await bring('i-2', 'EXECUTION_ERROR')).toMatchObject({ state: 'QUARANTINED' });
  expect((await bench.run(runId))['result']).toMatchObject({ score: null, reasons: [{ code: 'too_many_errors' }] });
});

test('a verdict without a stored trajectory quarantines it', async () => {
  await submit(['i-1']);
  await bench.record(await bench.start(workKey(runId)), completedTrial());
  await bench.database.query("delete from artifacts where name = 'trajectory'");
  const { finished } = await bench.record(await bench.start(workKey(runId, 'grade')), graded());
  expect(finished).toMatchObject({ state: 'QUARANTINED', reasons: [{ code: 'trajectories_missing' }] });
});

test('the last instances of a run that end at the same moment end it once', async () => {
  const instances = ['i-1', 'i-2', 'i-3', 'i-4', 'i-5', 'i-6'];
  await submit(instances);
  const held = [];
  for (const instance of instances) {
    await bench.record(await bench.start(workKey(runId, 'trial', instance)), completedTrial());
    held.push(await bench.start(workKey(runId, 'grade', instance)));
  }
  const ends = await Promise.all(held.map((grade) => bench.record(grade, graded())));
  expect(ends.map(({ reply }) => reply.answer)).toEqual(instances.map(() => 'recorded'));
  expect(ends.filter(({ finished }) => finished !== null)).toHaveLength(1);
  expect((await bench.events(runId)).filter((type) => type === 'run.terminal')).toHaveLength(1);
});

describe('the publication', () => {
  test('becomes work when the run has ended, with a wake-up in the same transaction', async () => {
    await submit(['i-1'], {}, true);
    const key = workKey(runId, 'publication');
    await expect(bench.item(key)).rejects.toThrow('got 0');
    await bring('i-1', 'RESOLVED');
    expect(await bench.item(key)).toMatchObject({ state: 'OPEN' });
    expect((await bench.unsent()).at(-1)).toEqual({ subject: bench.protocol.names.work(key), seconds: 0 });
    expect(await bench.run(runId)).toMatchObject({ publication_state: 'PENDING' });
  });

  test('of a quarantined run is due as well: status and reasons are public', async () => {
    await submit(['i-1'], { suite: { errorThreshold: 1 } }, true);
    await bring('i-1', 'EXECUTION_ERROR');
    expect(await bench.item(workKey(runId, 'publication'))).toMatchObject({ state: 'OPEN' });
  });

  test.each([
    ['the suite publishes nothing', { suite: { publish: 'none' as const } }, true],
    ['the run has no release', {}, false],
  ])('is not there where %s', async (_, seed, release) => {
    await submit(['i-1'], seed, release);
    await bring('i-1', 'RESOLVED');
    await expect(bench.item(workKey(runId, 'publication'))).rejects.toThrow('got 0');
    expect(await bench.run(runId)).toMatchObject({ publication_state: 'NONE' });
  });
});

describe('what the sweep mends', () => {
  test('a run whose instances are all terminal but that nobody decided is decided, once', async () => {
    await submit(['i-1']);
    await bench.database.query("update instances set state = 'INFRA_FAILED', terminal_at = now()");
    expect(await undecidedRuns(bench.database)).toEqual([runId]);
    const decide = () => bench.database.transaction((sql) => finishRunIfDone(sql, runId, bench.protocol));
    const both = await Promise.all([decide(), decide()]);
    expect(both.filter((end) => end !== null)).toMatchObject([{ state: 'QUARANTINED' }]);
    expect(await undecidedRuns(bench.database)).toEqual([]);
  });

  test('a run with an open instance is not decided', async () => {
    await submit(['i-1', 'i-2']);
    await bring('i-1', 'RESOLVED');
    expect(await undecidedRuns(bench.database)).toEqual([]);
    expect(await bench.database.transaction((sql) => finishRunIfDone(sql, runId, bench.protocol))).toBeNull();
  });

  test('a queued run whose trials were never opened is found, but not at once', async () => {
    runId = await seedRun(bench.database);
    expect(await unopenedRuns(bench.database, 60_000)).toEqual([]);
    expect(await unopenedRuns(bench.database, 0)).toEqual([runId]);
    await bench.database.transaction((sql) => enqueueRun(sql, runId, bench.protocol));
    expect(await unopenedRuns(bench.database, 0)).toEqual([]);
  });
});

describe('a run that no worker of its build serves', () => {
  const note = () => noteStalledRuns(bench.database, { stalledMs: 600_000 });
  const announced = (buildDigest: string) => {
    const { worker, buildDigest: digest } = aClaim(workKey(runId), { buildDigest });
    return announceWorker(bench.database, { worker, kind: 'trial', slots: 1, buildDigest: digest });
  };
  beforeEach(async () => {
    await submit(['i-1'], { buildDigest: digestOf('frozen') });
    await bench.database.query("update runs set queued_at = now() - interval '11 minutes'");
  });

  test('for ten minutes is marked as stalled, once', async () => {
    await announced(digestOf('other build'));
    expect(await note()).toEqual([runId]);
    expect(await note()).toEqual([]);
    expect((await bench.events(runId)).filter((type) => type === 'run.stalled')).toHaveLength(1);
  });

  test('is not marked before, nor while it is paused', async () => {
    await bench.database.query('update runs set paused = true');
    expect(await note()).toEqual([]);
    await bench.database.query("update runs set paused = false, queued_at = now() - interval '9 minutes'");
    expect(await note()).toEqual([]);
  });

  test('is marked again when it was served meanwhile', async () => {
    await note();
    await announced(digestOf('frozen'));
    expect(await note()).toEqual([]);
    await bench.database.query('alter table events disable trigger events_append_only');
    await bench.database.query("update events set at = now() - interval '1 hour' where type = 'run.stalled'");
    await bench.database.query('alter table events enable trigger events_append_only');
    await bench.database.query("update workers set last_seen_at = now() - interval '11 minutes'");
    expect(await note()).toEqual([runId]);
  });
});

describe('opening the trials of a run', () => {
  test('three deliveries open each trial once, in the order of the manifest, each with one wake-up', async () => {
    runId = await seedRun(bench.database, { manifest: aManifest({ instances: ['b', 'a', 'c'] }) });
    const opened = [];
    for (const _ of [1, 2, 3]) {
      opened.push(await bench.database.transaction((sql) => enqueueRun(sql, runId, bench.protocol)));
    }
    expect(opened).toEqual([3, 0, 0]);
    const expected = ['a', 'b', 'c'].map((id) => bench.protocol.names.work(workKey(runId, 'trial', id)));
    expect((await bench.unsent()).map(({ subject }) => subject)).toEqual(expected);
  });

  test('a message that comes again after the run has ended opens nothing', async () => {
    await submit(['i-1']);
    await bring('i-1', 'RESOLVED');
    expect(await bench.database.transaction((sql) => enqueueRun(sql, runId, bench.protocol))).toBe(0);
  });

  test('gives every wake-up the trace of its instance', async () => {
    await submit(['i-1']);
    const rows = await bench.database.query('select traceparent from outbox');
    expect(rows).toEqual([{ traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` }]);
  });
});
