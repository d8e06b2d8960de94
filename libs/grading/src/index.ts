export { GRADING_RULES, graderVersion, type GradingRules } from './rules';
export { STATUSES, type StatusMap } from './status';
export { LogParserError, UnknownParserError } from './errors';
export { PARSER_NAMES, parserNamed, type LogParser } from './parsers/registry';
export { EVAL_TYPES, type EvalType } from './report/case-outcome';
export { type ExpectedTests, type TestList, type TestsStatus } from './report/tests-status';
export { RESOLUTIONS, type Resolution } from './report/resolution';
export { infraFailureIn, type InfraFailure, type InfraFailureReason } from './report/infra-failure';
export {
  type GradedPrediction,
  infraFailureInLogs,
  modelFolder,
  type RunReport,
  runReport,
  runReportFile,
  runReportJson,
} from './report/run-report';
export { reportJson, type InstanceReport } from './report/report';
export { SUSPICIONS, type Suspicion } from './suspicions/suspicion';
export { changedFiles, type ChangedFile } from './suspicions/changed-files';
export { patchSuspicions } from './suspicions/patch-suspicions';
export { gradeLog, type GradeLogInput, type LogGrade } from './grade-log';
export { prepareEvalScript } from './eval-script';
