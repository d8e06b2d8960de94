import type { Failure, RunId } from '@assay/contracts';
import {
  aFailure,
  aManifest,
  anArtifact,
  completedTrial,
  failedGrade,
  failedTrial,
  graded,
  workKey,
  type ManifestSeed,
} from '@assay/testing';
import { WorkBench } from '../harness/work-bench';

// Design section 3a, "result"; design rule 4 as the database shows it.

let bench: WorkBench;
let runId: RunId;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  await bench.reset();
  await submit();
});
const trial = () => workKey(runId);
const grade = () => workKey(runId, 'grade');

async function submit(seed: ManifestSeed = {}): Promise<void> {
  runId = await bench.submit({ manifest: aManifest({ instances: ['i-1', 'i-2'], ...seed }) });
}

/** Everything that a result may touch. */
async function everything(): Promise<unknown> {
  const tables = ['runs', 'instances', 'attempts', 'grades', 'work_items', 'artifacts', 'outbox'];
  return Promise.all(tables.map((table) => bench.database.query(`select * from ${table} order by 1, 2, 3`)));
}

async function trialDone(): Promise<void> {
  await bench.record(await bench.start(trial()), completedTrial());
}

describe('a completed trial', () => {
  test('closes the trial and opens its grade, with a wake-up in the same transaction', async () => {
    await bench.database.query('delete from outbox');
    const recorded = await bench.record(await bench.start(trial()), completedTrial());
    expect(recorded).toEqual({ reply: { answer: 'recorded' }, next: 'grade', finished: null });
    expect(await bench.item(trial())).toMatchObject({ state: 'DONE', lease_until: null });
    expect(await bench.item(grade())).toMatchObject({ state: 'OPEN', epoch: 0, lease_until: null });
    expect(await bench.unsent()).toEqual([{ subject: bench.protocol.names.work(grade()), seconds: 0 }]);
    expect(await bench.instance(trial())).toMatchObject({ state: 'GRADING', attempts: 1 });
  });

  test('keeps outcome, image and every artifact with its attempt', async () => {
    const outcome = completedTrial();
    const held = await bench.start(trial());
    await bench.record(held, outcome, [anArtifact('agent_log')]);
    expect(await bench.tries('trial', runId)).toMatchObject([
      { state: 'COMPLETED', outcome, image_id: 'sha256:image' },
    ]);
    const artifacts = await bench.database.query('select name, attempt_id from artifacts order by name');
    expect(artifacts).toEqual(
      ['agent_log', 'patch', 'trajectory'].map((name) => ({ name, attempt_id: held.attemptId })),
    );
  });

  test('hands its patch and image to the grade', async () => {
    await trialDone();
    const { spec } = await bench.grant(grade());
    expect(spec).toMatchObject({
      kind: 'grade',
      patch: anArtifact('patch'),
      patchOrigin: 'trial',
      imageId: 'sha256:image',
    });
  });

  test('with an empty patch of an agent without a model is graded as empty', async () => {
    await bench.record(await bench.start(trial()), completedTrial({ patch: null }));
    expect((await bench.grant(grade())).spec).toMatchObject({ patch: null });
  });

  test('marks the limit that it reached and is graded', async () => {
    await bench.record(await bench.start(trial()), completedTrial({ limit: 'turns' }));
    expect(await bench.instance(trial())).toMatchObject({ state: 'GRADING', reached_limit: 'turns' });
  });

  test('that reached a limit is an error where the suite says so', async () => {
    await submit({ suite: { onLimit: 'error' } });
    await bench.record(await bench.start(trial()), completedTrial({ limit: 'time' }));
    expect(await bench.instance(trial())).toMatchObject({ state: 'EXECUTION_ERROR', reached_limit: 'time' });
    await expect(bench.item(grade())).rejects.toThrow('got 0');
  });

  test('counts although none of its heartbeats came through', async () => {
    await bench.record(await bench.grant(trial()), completedTrial());
    expect(await bench.instance(trial())).toMatchObject({ attempts: 1, state: 'GRADING' });
  });
});

describe('a failed trial', () => {
  test('of our fault waits 60, 120 and 240 s in the database alone, then is INFRA_FAILED', async () => {
    await submit({ retry: { backoffSeconds: 60 } });
    for (const [index, seconds] of [60, 120, 240].entries()) {
      await bench.makeDue(trial());
      await bench.database.query('delete from outbox');
      const held = await bench.start(trial());
      expect(held.attempt).toBe(index + 1);
      const { next } = await bench.record(held, failedTrial());
      expect(next).toBe('retry');
      expect(await bench.instance(trial())).toMatchObject({ state: 'RETRY_WAIT', failure: { code: 'engine_gone' } });
      const { run_at: runAt, published_at: publishedAt } = await bench.item(trial());
      expect((runAt.getTime() - Date.now()) / 1000).toBeCloseTo(seconds, -1);
      expect(publishedAt).toBeNull();
      expect(await bench.unsent()).toEqual([{ subject: bench.protocol.names.work(trial()), seconds }]);
      expect(await bench.claim(trial())).toEqual({ answer: 'waiting' });
    }
    await bench.makeDue(trial());
    expect((await bench.record(await bench.start(trial()), failedTrial())).next).toBe('INFRA_FAILED');
    expect(await bench.instance(trial())).toMatchObject({ state: 'INFRA_FAILED', attempts: 4, next_try_at: null });
    expect(await bench.claim(trial())).toEqual({ answer: 'done' });
  });

  test.each(['agent', 'task'] as const)('by blame of the %s is terminal at once', async (blame) => {
    const failure = aFailure(blame, 'agent_crashed');
    const { next } = await bench.record(await bench.start(trial()), failedTrial(failure));
    expect(next).toBe('EXECUTION_ERROR');
    expect(await bench.instance(trial())).toMatchObject({ state: 'EXECUTION_ERROR', attempts: 1, failure });
  });

  test('does not touch the other instances of its run', async () => {
    await bench.record(await bench.start(trial()), failedTrial(aFailure('agent', 'agent_crashed')));
    expect(await bench.instance(workKey(runId, 'trial', 'i-2'))).toMatchObject({ state: 'QUEUED' });
    expect(await bench.claim(workKey(runId, 'trial', 'i-2'))).toMatchObject({ answer: 'granted' });
  });

  test('does not count a try that was given back', async () => {
    await submit({ retry: { maxAttempts: 2 } });
    await bench.release(await bench.start(trial()));
    expect((await bench.record(await bench.start(trial()), failedTrial())).next).toBe('retry');
    expect((await bench.record(await bench.start(trial()), failedTrial())).next).toBe('INFRA_FAILED');
    expect(await bench.instance(trial())).toMatchObject({ attempts: 2 });
  });
});

describe('a grade', () => {
  beforeEach(trialDone);

  test.each(['RESOLVED', 'UNRESOLVED'] as const)('of %s is the instance’s terminal state', async (verdict) => {
    const { next, finished } = await bench.record(await bench.start(grade()), graded(verdict, ['odd_exit']));
    expect(next).toBe(verdict);
    expect(finished).toBeNull();
    expect(await bench.instance(trial())).toMatchObject({ state: verdict, suspicions: ['odd_exit'], failure: null });
    expect(await bench.tries('grade', runId)).toMatchObject([{ state: 'COMPLETED', verdict }]);
    expect(await bench.item(grade())).toMatchObject({ state: 'DONE' });
  });

  test('keeps its log with itself, not with the attempt', async () => {
    const held = await bench.start(grade());
    await bench.record(held, graded(), [anArtifact('grade_log')]);
    expect(await bench.database.query("select grade_id, attempt_id from artifacts where name = 'grade_log'")).toEqual([
      { grade_id: held.attemptId, attempt_id: null },
    ]);
  });

  test('that fails by our fault is repeated under the same policy, and never its trial', async () => {
    for (const number of [1, 2, 3]) {
      const held = await bench.start(grade());
      expect(held.attempt).toBe(number);
      expect((await bench.record(held, failedGrade())).next).toBe('retry');
    }
    expect((await bench.record(await bench.start(grade()), failedGrade())).next).toBe('INFRA_FAILED');
    expect(await bench.instance(trial())).toMatchObject({ state: 'INFRA_FAILED', attempts: 1 });
    expect(await bench.tries('trial', runId)).toHaveLength(1);
  });

  test('whose tests time out is repeated once on an idle worker, then EXECUTION_ERROR', async () => {
    const timedOut = failedGrade(aFailure('task', 'tests_timed_out'));
    expect((await bench.record(await bench.start(grade()), timedOut)).next).toBe('retry');
    expect(await bench.item(grade())).toMatchObject({ wants_idle: true, test_timeouts: 1, tries: 0 });
    expect(await bench.claim(grade(), { idle: false })).toMatchObject({ answer: 'refused' });
    expect((await bench.record(await bench.start(grade()), timedOut)).next).toBe('EXECUTION_ERROR');
    expect(await bench.instance(trial())).toMatchObject({ failure: { code: 'tests_timed_out' } });
  });

  test('that fails by our fault after tests timed out has all its tries left', async () => {
    await submit({ retry: { maxAttempts: 1 } });
    await trialDone();
    await bench.record(await bench.start(grade()), failedGrade(aFailure('task', 'tests_timed_out')));
    const second = await bench.start(grade());
    expect(second.attempt).toBe(1);
    expect((await bench.record(second, graded('UNRESOLVED'))).next).toBe('UNRESOLVED');
  });

  test('finds that a patch of ours does not apply: our fault, tried again', async () => {
    const { next } = await bench.record(
      await bench.start(grade()),
      failedGrade(aFailure('task', 'patch_apply_failed')),
    );
    expect(next).toBe('retry');
  });
});

describe('the fence', () => {
  test('takes a result once: the second and third delivery are already recorded and change nothing', async () => {
    const held = await bench.start(trial());
    await bench.record(held, completedTrial());
    const before = await everything();
    for (const _ of [2, 3]) {
      expect((await bench.record(held, completedTrial())).reply).toEqual({ answer: 'already_recorded' });
    }
    expect(await everything()).toEqual(before);
  });

  test('takes one of three deliveries at the same moment', async () => {
    const held = await bench.start(trial());
    const replies = await Promise.all([1, 2, 3].map(() => bench.record(held, completedTrial())));
    expect(replies.map(({ reply }) => reply.answer).sort()).toEqual([
      'already_recorded',
      'already_recorded',
      'recorded',
    ]);
    expect(await bench.database.query("select 1 from outbox where topic = 'work.grade'")).toHaveLength(1);
  });

  test('knows a repeat even after others were granted the work since', async () => {
    const first = await bench.start(trial());
    await bench.record(first, failedTrial());
    await bench.start(trial(), { worker: 'w-2' });
    expect((await bench.record(first, failedTrial())).reply).toEqual({ answer: 'already_recorded' });
  });

  test('refuses a result of an epoch that is over: an event, and nothing changes', async () => {
    const first = await bench.start(trial());
    await bench.release(first);
    const second = await bench.start(trial(), { worker: 'w-2' });
    const before = await everything();
    const { reply } = await bench.record(first, completedTrial());
    expect(reply).toEqual({ answer: 'refused', reason: 'epoch 1 is over, 3 is current' });
    expect(await everything()).toEqual(before);
    expect((await bench.events(runId)).at(-1)).toBe('result.refused');
    expect((await bench.record(second, completedTrial())).reply).toEqual({ answer: 'recorded' });
  });

  test('refuses the current epoch under another claim, and a grant that never was', async () => {
    const held = await bench.start(trial());
    const other = await bench.start(workKey(runId, 'trial', 'i-2'));
    expect((await bench.record({ ...held, claimId: other.claimId }, completedTrial())).reply.answer).toBe('refused');
    expect((await bench.record({ ...held, epoch: 9 }, completedTrial())).reply.answer).toBe('refused');
    expect((await bench.record(held, completedTrial())).reply.answer).toBe('recorded');
  });

  test('refuses what comes after a terminal state', async () => {
    const failure: Failure = aFailure('agent', 'agent_crashed');
    await submit({ retry: { maxAttempts: 1 } });
    const held = await bench.start(trial());
    await bench.lapse(trial());
    await bench.expireAll();
    expect(await bench.instance(trial())).toMatchObject({ state: 'INFRA_FAILED' });
    expect((await bench.record(held, failedTrial(failure))).reply).toEqual({
      answer: 'refused',
      reason: 'the work is done',
    });
    expect(await bench.instance(trial())).toMatchObject({ state: 'INFRA_FAILED', failure: { code: 'lease_lost' } });
  });

  test('is checked against what another transaction does at the same moment: result and release cannot both win', async () => {
    for (const instance of ['i-1', 'i-2']) {
      const held = await bench.start(workKey(runId, 'trial', instance));
      const [recorded, released] = await Promise.all([bench.record(held, completedTrial()), bench.release(held)]);
      expect([recorded.reply.answer, released.answer]).toContainEqual(expect.stringMatching(/refused|lost/));
      const { state } = await bench.item(held.key);
      expect(state).toBe(recorded.reply.answer === 'recorded' ? 'DONE' : 'OPEN');
    }
  });
});
