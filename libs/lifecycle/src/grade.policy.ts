import type { Failure, GradeOutcome, GradeSpec, RetryPolicy } from '@assay/contracts';
import { byBlame, type RetryOrEnd } from './retry.policy';

export interface GradeContext {
  /** The grade try of this attempt that ended, counted: 1 for the first. Tries that timed out in the tests do not count. */
  readonly tryNumber: number;
  /** Grades of this attempt whose tests timed out before this one. */
  readonly testTimeouts: number;
  /** From the frozen manifest. */
  readonly retry: RetryPolicy;
  readonly patchOrigin: GradeSpec['patchOrigin'];
}

/**
 * What follows a grade's result (design rule 4). Our faults repeat the grade, never the trial. Suspicions change no
 * verdict: they are stored beside it, and the gate reads them.
 */
export function afterGrade(outcome: GradeOutcome, context: GradeContext): RetryOrEnd {
  if (outcome.kind === 'graded') return { next: 'terminal', state: outcome.verdict, failure: null };
  const { failure } = outcome;
  if (failure.code === 'tests_timed_out') return afterTestTimeout(failure, context);
  if (failure.code === 'patch_apply_failed') {
    // A trial's patch has been applied to a fresh tree before its result was sent.
    const blame = context.patchOrigin === 'prediction' ? 'task' : 'infra';
    return byBlame({ ...failure, blame }, context.tryNumber, context.retry);
  }
  return byBlame(failure, context.tryNumber, context.retry);
}

/** Once more, at once, on an idle slot; then the tests themselves are too slow to judge by. */
function afterTestTimeout(failure: Failure, { testTimeouts }: GradeContext): RetryOrEnd {
  return testTimeouts === 0
    ? { next: 'retry', delaySeconds: 0, failure, wantsIdle: true }
    : { next: 'terminal', state: 'EXECUTION_ERROR', failure };
}
