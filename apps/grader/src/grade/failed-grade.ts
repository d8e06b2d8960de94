import type { ArtifactRef } from '@assay/contracts';
import { InfraError, TaskError, type BlamedError } from '@assay/failures';
import type { WorkContext, WorkResult } from '@assay/messaging';

/** A grade that gave no verdict, with what is left to look at. */
export function failedGrade(
  { spec }: WorkContext<'grade'>,
  error: BlamedError,
  artifacts: readonly ArtifactRef[],
): WorkResult<'grade'> {
  return {
    outcome: { kind: 'failed', failure: error.toFailure(), graderVersion: spec.grader.version },
    artifacts,
  };
}

/** A patch that does not apply: a handed-in one is to blame itself, one that we extracted is our fault. */
export function patchApplyFailed({ spec }: WorkContext<'grade'>, output: string): BlamedError {
  const options = { code: 'patch_apply_failed', phase: 'grade', details: { output: output.slice(-4_000) } } as const;
  const message = 'the patch does not apply to the fresh tree';
  return spec.patchOrigin === 'prediction' ? new TaskError(message, options) : new InfraError(message, options);
}

/** Tests that ran into their bound: graded once more on an idle worker, then the instance is EXECUTION_ERROR. */
export function testsTimedOut(seconds: number): BlamedError {
  return new TaskError(`the tests took longer than ${seconds} s`, {
    code: 'tests_timed_out',
    phase: 'grade',
    details: { seconds },
  });
}
