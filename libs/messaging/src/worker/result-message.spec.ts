import { ClaimId, InstanceId, RunId, WorkerId } from '@assay/contracts';
import { InfraError, TaskError } from '@assay/failures';
import { completed, gradeSpec, keyOf, trialSpec, written } from '../harness/builders';
import { failedOutcome } from './failed-outcome';
import { LARGEST_RESULT_BYTES, resultMessageOf } from './result-message';
import type { FailedWork } from './work-types';

const fence = {
  key: keyOf('a'),
  epoch: 2,
  claimId: ClaimId.parse('00000000-0000-4000-8000-000000000000'),
  worker: WorkerId.parse('w'),
};
const trial: FailedWork = { kind: 'trial', spec: trialSpec('a'), phase: 'RUNNING_AGENT' };
const publication: FailedWork = { ...trial, kind: 'publication' };

test('a good outcome goes out as it is, with the fence', () => {
  const message = resultMessageOf(fence, trial, { result: { outcome: completed, artifacts: [] } });
  expect(message).toEqual({ kind: 'trial', ...fence, outcome: completed, artifacts: [] });
});

test('a whole release body fits; what does not fit is a failure that says how large it was', () => {
  const whole = written('€'.repeat(125_000));
  const sent = resultMessageOf(fence, publication, { result: { outcome: whole, artifacts: [] } });
  expect(sent.outcome).toEqual(whole);
  const huge = written('x'.repeat(LARGEST_RESULT_BYTES));
  const refused = resultMessageOf(fence, publication, { result: { outcome: huge, artifacts: [] } }, (error) => ({
    kind: 'failed',
    failure: (error as InfraError).toFailure(),
  }));
  expect(refused.outcome).toMatchObject({
    kind: 'failed',
    failure: { blame: 'contract', code: 'result_too_large', phase: 'upload' },
  });
});

test('an outcome of another kind breaks the contract', () => {
  const message = resultMessageOf(fence, trial, { result: { outcome: written('x'), artifacts: [] } });
  expect(message.outcome).toMatchObject({ kind: 'failed', failure: { code: 'malformed_outcome' } });
});

test('a hook that throws, or answers what breaks the contract, does not stop the result', () => {
  const throwing = resultMessageOf(fence, trial, { error: new Error('a') }, () => {
    throw new InfraError('the hook', { code: 'sandbox_died', phase: 'agent' });
  });
  expect(throwing.outcome).toMatchObject({ failure: { code: 'sandbox_died' } });
  const wrong = resultMessageOf(fence, trial, { error: new Error('a') }, () => written('x'));
  expect(wrong.outcome).toMatchObject({ failure: { code: 'malformed_outcome' } });
});

test.each([
  ['PREPARING', 'prepare'],
  ['RUNNING_AGENT', 'agent'],
  ['UPLOADING', 'upload'],
  ['GRADING', 'grade'],
  ['PUBLISHING', 'publish'],
] as const)('a failure of unknown origin in %s is ours, in phase %s', (phase, expected) => {
  const outcome = failedOutcome(new Error('x'), { ...trial, phase });
  expect(outcome).toMatchObject({ kind: 'failed', failure: { blame: 'infra', phase: expected } });
});

test('a failed grade names the grader, and a blamed error keeps its blame', () => {
  const error = new TaskError('t', { code: 'patch_apply_failed', phase: 'grade' });
  expect(failedOutcome(error, { kind: 'grade', spec: gradeSpec('a'), phase: 'GRADING' })).toMatchObject({
    kind: 'failed',
    graderVersion: 'g1',
    failure: { blame: 'task', code: 'patch_apply_failed' },
  });
});

test('keys keep their sample', () => {
  const key = keyOf('a', { sample: 3 });
  const message = resultMessageOf({ ...fence, key }, trial, { error: new Error('x') });
  expect(message.key).toEqual({
    kind: 'trial',
    runId: RunId.parse('run-1'),
    instanceId: InstanceId.parse('a'),
    sample: 3,
  });
});
