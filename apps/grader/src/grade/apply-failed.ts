import type { GradeSpec } from '@assay/contracts';
import { InfraError, TaskError, type BlamedError } from '@assay/failures';

/**
 * A patch that does not apply. One that a trial made had been applied to the same tree before: that it fails now is our
 * fault. One that was handed in is at fault itself.
 * @param said the words of git or patch
 */
export function applyFailed(origin: GradeSpec['patchOrigin'], said: string): BlamedError {
  const options = { code: 'patch_apply_failed', phase: 'grade', details: { said: said.slice(-2_000) } } as const;
  return origin === 'trial'
    ? new InfraError('the patch of the trial does not apply to a fresh tree', options)
    : new TaskError('the prediction does not apply to the tree that it is for', options);
}
