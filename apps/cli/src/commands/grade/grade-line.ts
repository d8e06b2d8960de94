import { gradeLog, LogParserError, parserNamed, type GradingRules } from '@assay/grading';
import { LineError } from './json-lines/line-error';
import { checked, LogLine, ParserLine } from './line-schemas';
import { statusPairs } from './status-pairs';

/**
 * The grade of one log: `{instance_id, found, resolution, status_map, report, suspicions}`, in pieces of JSON.
 * @throws LineError on a wrong field, and on a log that the official code raises on
 */
export function* gradedLine(value: unknown, rules: GradingRules): Generator<string> {
  const { instance_id, model_patch, ...columns } = checked(LogLine, value);
  const grade = orLineError(() =>
    gradeLog({ ...columns, rules, ...(model_patch === undefined ? {} : { model_patch }) }),
  );
  const { found, resolution, statuses, report, suspicions } = grade;
  yield JSON.stringify({ instance_id, found, resolution }).slice(0, -1);
  yield ',"status_map":';
  yield* statusPairs(statuses);
  yield `,${JSON.stringify({ report, suspicions }).slice(1)}`;
}

/**
 * What one parser reads in a log, `{map}`, in pieces of JSON.
 * @throws LineError as `gradedLine`
 */
export function* parsedLine(value: unknown, rules: GradingRules): Generator<string> {
  const { parser, log } = checked(ParserLine, value);
  const statuses = orLineError(() => parserNamed(parser, rules)(log));
  yield '{"map":';
  yield* statusPairs(statuses);
  yield '}';
}

function orLineError<T>(grade: () => T): T {
  try {
    return grade();
  } catch (error) {
    if (error instanceof LogParserError) {
      throw new LineError(`log: expected one that the official parser reads, it raises: ${error.message}`);
    }
    // More tests or characters than V8 puts into one map or string.
    if (error instanceof RangeError) throw new LineError(`log: expected one that fits into memory: ${error.message}`);
    throw error;
  }
}
