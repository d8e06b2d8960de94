import type { CaseOutcome, ExpectedOf, JudgeCase } from './case-outcome';

export interface TestList {
  readonly success: readonly string[];
  readonly failure: readonly string[];
}

/** `tests_status` of report.json. The last two are always empty, and always there. */
export interface TestsStatus {
  readonly FAIL_TO_PASS: TestList;
  readonly PASS_TO_PASS: TestList;
  readonly FAIL_TO_FAIL: TestList;
  readonly PASS_TO_FAIL: TestList;
}

/** The tests that a row lists, in its order; doubled ids count twice. */
export interface ExpectedTests {
  readonly FAIL_TO_PASS: readonly string[];
  readonly PASS_TO_PASS: readonly string[];
}

export function testsStatus(expected: ExpectedTests, judge: JudgeCase): TestsStatus {
  return {
    FAIL_TO_PASS: judged('FAIL_TO_PASS', expected, judge),
    PASS_TO_PASS: judged('PASS_TO_PASS', expected, judge),
    FAIL_TO_FAIL: { success: [], failure: [] },
    PASS_TO_FAIL: { success: [], failure: [] },
  };
}

function judged(expectedOf: ExpectedOf, expected: ExpectedTests, judge: JudgeCase): TestList {
  const ids = expected[expectedOf];
  const outcomes = ids.map((id) => judge(id, expectedOf));
  const having = (outcome: CaseOutcome): string[] => ids.filter((_, index) => outcomes[index] === outcome);
  return { success: having('success'), failure: having('failure') };
}
