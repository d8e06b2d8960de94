import type { GradingRules } from '../rules';
import type { StatusMap } from '../status';

/** How a row's listed tests are judged: by passing, or (JavaScript suites) by not failing. */
export const EVAL_TYPES = ['pass_and_fail', 'fail_only'] as const;
export type EvalType = (typeof EVAL_TYPES)[number];

/** FAIL_TO_PASS must pass now; PASS_TO_PASS must still pass, and may be skipped. */
export type ExpectedOf = 'FAIL_TO_PASS' | 'PASS_TO_PASS';

/** `neither`: a status outside the five, which drops the test out of both lists. */
export type CaseOutcome = 'success' | 'failure' | 'neither';

/** Judges one listed test id by a log's statuses. */
export type JudgeCase = (testId: string, expectedOf: ExpectedOf) => CaseOutcome;

export function caseJudge(statuses: StatusMap, evalType: EvalType, rules: GradingRules): JudgeCase {
  if (evalType === 'fail_only') return (testId) => (statuses.get(testId) === 'FAILED' ? 'failure' : 'success');
  if (rules === 'swebench-4.1.0') return (testId) => passOrFail(statuses.get(testId), ['FAILED', 'ERROR']);
  return (testId, expectedOf) => {
    const status = statusOf(testId, statuses);
    if (expectedOf === 'PASS_TO_PASS' && status === 'SKIPPED') return 'success';
    return passOrFail(status, ['FAILED', 'ERROR', 'SKIPPED']);
  };
}

function passOrFail(status: string | undefined, failing: readonly string[]): CaseOutcome {
  if (status !== undefined && isPass(status)) return 'success';
  return status === undefined || failing.includes(status) ? 'failure' : 'neither';
}

function isPass(status: string): boolean {
  return status === 'PASSED' || status === 'XFAIL';
}

/**
 * The status of a listed id. 676 ids of SWE-bench Verified are cut at a space inside their parameters
 * (SWE-bench/SWE-bench#290): such an id, known by more `[` than `]`, stands for all tests that begin with it, if these
 * agree on passing; then the first one's status counts.
 */
function statusOf(testId: string, statuses: StatusMap): string | undefined {
  const exact = statuses.get(testId);
  if (exact !== undefined || !isCut(testId)) return exact;
  let first: string | undefined;
  for (const [key, status] of statuses) {
    if (!key.startsWith(testId)) continue;
    first ??= status;
    if (isPass(status) !== isPass(first)) return undefined;
  }
  return first;
}

function isCut(testId: string): boolean {
  return testId.split('[').length > testId.split(']').length;
}
