import {
  ArtifactRef,
  Blame,
  type Failure,
  type GradeOutcome,
  type ModelEvidence,
  ReachedLimit,
  RetryPolicy,
  SuiteKind,
  type TrialOutcome,
  WorkerId,
} from '@assay/contracts';
import fc from 'fast-check';
import {
  afterGrade,
  afterLeaseLost,
  afterTrial,
  type GradeContext,
  retryDelaySeconds,
  type TrialContext,
} from './index';

const retry = RetryPolicy.parse({});
const patch = ArtifactRef.parse({ name: 'patch', digest: 'a'.repeat(64), size: 10, mediaType: 'text/x-diff' });
const failure = (blame: Failure['blame'], code = 'something_broke'): Failure => ({
  blame,
  code,
  message: 'it broke',
  phase: 'agent',
  details: { n: 1 },
});
const answered: ModelEvidence = { usesModel: true, completedExchanges: 3, lastFailedUpstream: false };
const completed = (over: Partial<TrialOutcome & { kind: 'completed' }> = {}): TrialOutcome => ({
  kind: 'completed',
  patch,
  trajectory: ArtifactRef.parse({ ...patch, name: 'trajectory' }),
  limit: null,
  usage: { calls: 3, promptTokens: 1, completionTokens: 1, cachedTokens: 0, costUsd: null, estimated: false },
  model: answered,
  imageId: 'sha256:1',
  timings: { prepareMs: 1, agentMs: 1, extractMs: 1 },
  ...over,
});
const failedTrial = (why: Failure): TrialOutcome => ({ kind: 'failed', failure: why, usage: null, imageId: null });
const trial: TrialContext = { attempt: 1, retry, onLimit: 'grade', kind: 'benchmark' };

describe('the wait', () => {
  test('doubles with every try: 60, 120, 240 s by default', () => {
    expect([1, 2, 3].map((n) => retryDelaySeconds(retry, n))).toEqual([60, 120, 240]);
  });

  test('may be nothing, or a part of a second', () => {
    expect(retryDelaySeconds({ ...retry, backoffSeconds: 0 }, 3)).toBe(0);
    expect(retryDelaySeconds({ ...retry, backoffSeconds: 0.25 }, 3)).toBe(1);
  });

  test.each([0, -1, 1.5, NaN])('after try %d is refused', (n) => {
    expect(() => retryDelaySeconds(retry, n)).toThrow(RangeError);
  });
});

describe('after a trial', () => {
  test('a patch is graded', () => {
    expect(afterTrial(completed(), trial)).toEqual({ next: 'grade' });
  });

  test('of an infrastructure check nothing is graded: no model was asked, and an empty patch is no wonder', () => {
    const check: TrialContext = { ...trial, kind: 'infrastructure' };
    const empty = completed({ patch: null, model: { ...answered, completedExchanges: 0 } });
    expect(afterTrial(empty, check)).toEqual({ next: 'checked' });
    expect(afterTrial(failedTrial(failure('infra', 'probe_failed')), check)).toMatchObject({ next: 'retry' });
    expect(afterTrial(completed(), { ...trial, kind: 'diagnostic' })).toEqual({ next: 'grade' });
  });

  test.each(['infra', 'contract'] as const)('%s blame is tried 4 times in all, then INFRA_FAILED', (blame) => {
    const decisions = [1, 2, 3, 4].map((attempt) => afterTrial(failedTrial(failure(blame)), { ...trial, attempt }));
    expect(decisions).toEqual([
      { next: 'retry', delaySeconds: 60, failure: failure(blame), wantsIdle: false },
      { next: 'retry', delaySeconds: 120, failure: failure(blame), wantsIdle: false },
      { next: 'retry', delaySeconds: 240, failure: failure(blame), wantsIdle: false },
      { next: 'terminal', state: 'INFRA_FAILED', failure: failure(blame) },
    ]);
  });

  test.each(['agent', 'task'] as const)('%s blame is EXECUTION_ERROR at once', (blame) => {
    expect(afterTrial(failedTrial(failure(blame)), trial)).toEqual({
      next: 'terminal',
      state: 'EXECUTION_ERROR',
      failure: failure(blame),
    });
  });

  test.each(ReachedLimit.options)(
    'an agent that reached its limit of %s is graded on what its workspace holds',
    (limit) => {
      expect(afterTrial(completed({ limit }), trial)).toEqual({ next: 'grade' });
      expect(afterTrial(completed({ limit, patch: null }), trial)).toEqual({ next: 'grade' });
    },
  );

  test.each(ReachedLimit.options)('or is EXECUTION_ERROR limit_reached (%s) where the suite says so', (limit) => {
    expect(afterTrial(completed({ limit }), { ...trial, onLimit: 'error' })).toMatchObject({
      next: 'terminal',
      state: 'EXECUTION_ERROR',
      failure: { blame: 'agent', code: 'limit_reached', details: { limit } },
    });
  });

  test('such a suite grades an agent that reached none', () => {
    expect(afterTrial(completed(), { ...trial, onLimit: 'error' })).toEqual({ next: 'grade' });
  });

  describe('an empty patch', () => {
    const empty = (model: Partial<ModelEvidence>, limit: ReachedLimit | null = null) =>
      completed({ patch: null, limit, model: { ...answered, ...model } });

    test('is graded when the model answered to the end', () => {
      expect(afterTrial(empty({ completedExchanges: 1 }), trial)).toEqual({ next: 'grade' });
    });

    test('is graded for an agent that uses no model', () => {
      expect(afterTrial(empty({ usesModel: false, completedExchanges: 0 }), trial)).toEqual({ next: 'grade' });
    });

    test.each([
      ['no exchange was completed', { completedExchanges: 0 }],
      ['the last exchange failed upstream', { completedExchanges: 7, lastFailedUpstream: true }],
    ])('is our fault, model_unavailable, when %s', (_why, model) => {
      expect(afterTrial(empty(model), trial)).toMatchObject({
        next: 'retry',
        delaySeconds: 60,
        failure: { blame: 'infra', code: 'model_unavailable', phase: 'agent' },
      });
      expect(afterTrial(empty(model), { ...trial, attempt: 4 })).toMatchObject({
        next: 'terminal',
        state: 'INFRA_FAILED',
      });
    });

    test('is our fault even when the agent waited for the model until a limit that counts as an error', () => {
      const decision = afterTrial(empty({ completedExchanges: 0 }, 'time'), { ...trial, onLimit: 'error' });
      expect(decision).toMatchObject({
        next: 'retry',
        failure: { code: 'model_unavailable', details: { limit: 'time' } },
      });
    });
  });

  test('a patch is graded though the last exchange failed: there is something to judge', () => {
    expect(afterTrial(completed({ model: { ...answered, lastFailedUpstream: true } }), trial)).toEqual({
      next: 'grade',
    });
  });
});

describe('after a grade', () => {
  const grade: GradeContext = { tryNumber: 1, testTimeouts: 0, retry, patchOrigin: 'trial' };
  const failed = (why: Failure): GradeOutcome => ({ kind: 'failed', failure: why, graderVersion: 'g1' });

  test.each(['RESOLVED', 'UNRESOLVED'] as const)('a verdict of %s is terminal, suspicions or not', (verdict) => {
    const outcome: GradeOutcome = {
      kind: 'graded',
      verdict,
      reward: verdict === 'RESOLVED' ? 1 : 0,
      graderVersion: 'g1',
      suspicions: ['forged_exit_marker'],
      imageId: null,
      durationMs: 1,
    };
    expect(afterGrade(outcome, grade)).toEqual({ next: 'terminal', state: verdict, failure: null });
  });

  test('our fault repeats the grade under the same policy, and never the trial', () => {
    const why = failure('infra', 'engine_unavailable');
    expect(afterGrade(failed(why), grade)).toEqual({ next: 'retry', delaySeconds: 60, failure: why, wantsIdle: false });
    expect(afterGrade(failed(why), { ...grade, tryNumber: 4 })).toEqual({
      next: 'terminal',
      state: 'INFRA_FAILED',
      failure: why,
    });
  });

  test('a broken task is EXECUTION_ERROR at once', () => {
    expect(afterGrade(failed(failure('task', 'reward_invalid')), grade)).toMatchObject({ state: 'EXECUTION_ERROR' });
  });

  test.each(['infra', 'task'] as const)(
    'tests that time out are graded once more on an idle slot, then EXECUTION_ERROR (reported as %s)',
    (blame) => {
      const why = failure(blame, 'tests_timed_out');
      expect(afterGrade(failed(why), grade)).toEqual({ next: 'retry', delaySeconds: 0, failure: why, wantsIdle: true });
      expect(afterGrade(failed(why), { ...grade, testTimeouts: 1 })).toEqual({
        next: 'terminal',
        state: 'EXECUTION_ERROR',
        failure: why,
      });
    },
  );

  test('tests that time out on the last try are still graded once more', () => {
    const decision = afterGrade(failed(failure('task', 'tests_timed_out')), { ...grade, tryNumber: 4 });
    expect(decision).toMatchObject({ next: 'retry', wantsIdle: true });
  });

  test.each(['infra', 'task', 'agent'] as const)(
    'a patch that does not apply blames the prediction, or else us (reported as %s)',
    (blame) => {
      const why = failure(blame, 'patch_apply_failed');
      expect(afterGrade(failed(why), { ...grade, patchOrigin: 'prediction' })).toMatchObject({
        next: 'terminal',
        state: 'EXECUTION_ERROR',
        failure: { code: 'patch_apply_failed', blame: 'task' },
      });
      expect(afterGrade(failed(why), grade)).toMatchObject({ next: 'retry', failure: { blame: 'infra' } });
    },
  );
});

describe('after a lost lease', () => {
  const lease = { work: 'trial', tryNumber: 1, started: true, retry, worker: WorkerId.parse('w1') } as const;

  test('the try counts, and is repeated after the usual wait', () => {
    expect(afterLeaseLost(lease)).toMatchObject({
      next: 'retry',
      delaySeconds: 60,
      failure: { blame: 'infra', code: 'lease_lost', phase: 'lease', details: { worker: 'w1', work: 'trial' } },
    });
    expect(afterLeaseLost({ ...lease, tryNumber: 4 })).toMatchObject({ next: 'terminal', state: 'INFRA_FAILED' });
  });

  test('a try whose first heartbeat never came does not count, however many there were', () => {
    const decision = afterLeaseLost({ ...lease, work: 'grade', tryNumber: 4, started: false });
    expect(decision).toMatchObject({ next: 'retry', delaySeconds: 0 });
  });
});

test('over all failures: only our faults end as INFRA_FAILED, and only after every try', () => {
  const policy = fc.record({ maxAttempts: fc.integer({ min: 1, max: 8 }), backoffSeconds: fc.nat(3600) });
  fc.assert(
    fc.property(
      policy,
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom(...Blame.options),
      fc.constantFrom(...SuiteKind.options),
      (stated, n, blame, kind) => {
        const decision = afterTrial(failedTrial(failure(blame)), { attempt: n, retry: stated, onLimit: 'grade', kind });
        const ours = blame === 'infra' || blame === 'contract';
        if (!ours) expect(decision).toMatchObject({ next: 'terminal', state: 'EXECUTION_ERROR' });
        else if (n >= stated.maxAttempts) expect(decision).toMatchObject({ next: 'terminal', state: 'INFRA_FAILED' });
        else expect(decision).toMatchObject({ next: 'retry', delaySeconds: stated.backoffSeconds * 2 ** (n - 1) });
      },
    ),
  );
});
