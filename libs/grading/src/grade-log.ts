import { universalNewlines } from './text/lines';
import { readLog } from './log/read-log';
import { caseJudge, type EvalType } from './report/case-outcome';
import { reportFound, reportNotFound, reportWithoutPatch, type InstanceReport } from './report/report';
import { resolutionOf, type Resolution } from './report/resolution';
import { testsStatus, type ExpectedTests } from './report/tests-status';
import { graderVersion, type GradingRules } from './rules';
import type { StatusMap } from './status';
import { logSuspicions } from './suspicions/log-suspicions';
import { patchSuspicions } from './suspicions/patch-suspicions';
import type { Suspicion } from './suspicions/suspicion';

/** One log to be graded, with the columns of its row that decide. */
export interface GradeLogInput extends ExpectedTests {
  /** The whole log as it was written, decoded; line ends as they are. */
  readonly log: string;
  /** The row's parser, e.g. `parse_log_django`. */
  readonly log_parser: string;
  readonly eval_type: EvalType;
  /** The patch under judgement: null when there was none; left out when it is not at hand. */
  readonly model_patch?: string | null;
  /** Default: `graderVersion`. */
  readonly rules?: GradingRules;
}

export interface LogGrade {
  /** False: the log says nothing that counts, and the instance is unresolved. */
  readonly found: boolean;
  /** Null when not found or without a patch. */
  readonly resolution: Resolution | null;
  readonly statuses: StatusMap;
  readonly report: InstanceReport;
  readonly suspicions: Suspicion[];
}

/**
 * Grades a log exactly as the official harness does.
 * @throws LogParserError on a log that the official code raises on (it counts as an error there); UnknownParserError
 */
export function gradeLog(input: GradeLogInput): LogGrade {
  const rules = input.rules ?? graderVersion;
  const content = universalNewlines(input.log);
  const { found, statuses } = readLog(content, input.log_parser, rules);
  const base = {
    found,
    statuses,
    suspicions: [
      ...logSuspicions(content, statuses),
      ...(typeof input.model_patch === 'string' ? patchSuspicions(input.model_patch) : []),
    ],
  };
  if (input.model_patch === null) return { ...base, resolution: null, report: reportWithoutPatch(rules) };
  if (!found) return { ...base, resolution: null, report: reportNotFound(content, rules) };
  const tests = testsStatus(input, caseJudge(statuses, input.eval_type, rules));
  const resolution = resolutionOf(tests);
  return { ...base, resolution, report: reportFound(tests, resolution, rules) };
}
