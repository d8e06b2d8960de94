import { type Failure, type GradeOutcome, RetryPolicy } from '@assay/contracts';
import { FAILURE_CODES, type FailureEntry, triedAgain } from '@assay/failures';
import { afterGrade } from '@assay/lifecycle';

/** The first is for publications, which are tried whatever comes; the second is never sent as a result. */
const NOT_DECIDED_HERE = new Set(['release_mismatch', 'work_cancelled']);

const cases = Object.entries<FailureEntry>(FAILURE_CODES)
  .filter(([code]) => !NOT_DECIDED_HERE.has(code))
  .flatMap(([code, { blame }]) => blame.map((one) => [code as keyof typeof FAILURE_CODES, one] as const));

test.each(cases)('docs/errors.md tells of %s (%s) what the rules do', (code, blame) => {
  const failure: Failure = { blame, code, message: 'x', phase: 'grade', details: {} };
  const outcome: GradeOutcome = { kind: 'failed', failure, graderVersion: 'harbor/1' };
  const retry = RetryPolicy.parse({});
  const after = (testTimeouts: number) =>
    afterGrade(outcome, {
      tryNumber: 1,
      testTimeouts,
      retry,
      patchOrigin: blame === 'task' ? 'prediction' : 'trial',
    }).next;
  const told = { yes: ['retry', 'retry'], once: ['retry', 'terminal'], no: ['terminal', 'terminal'] };
  expect([after(0), after(1)]).toEqual(told[triedAgain(code, blame)]);
});
