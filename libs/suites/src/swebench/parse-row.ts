import { check, invalidFile } from '@assay/checked-files';
import type { Phase, Problem } from '@assay/contracts';
import type { TaskError } from '@assay/failures';
import { RowColumns, type SwebenchRow } from './row.schema';

/** Where a row stands: its line in a text file or its number in a Parquet file, from 1. */
export interface RowPlace {
  readonly file: string;
  readonly unit: 'line' | 'row';
  readonly number: number;
  readonly phase: Phase;
}

/** Checks one row. @throws TaskError `row_invalid` with every problem of the row: its place, the column, the value */
export function parseRow(raw: unknown, place: RowPlace): SwebenchRow {
  if (!isObject(raw)) {
    throw invalidRow(place, null, [{ field: '(row)', value: raw, expected: 'expected a JSON object' }]);
  }
  const checked = check(RowColumns, raw);
  if (!checked.ok) {
    const worded = checked.problems.map(({ field, value, expected }) => ({
      field,
      value,
      expected: field in raw ? expected : 'the column is missing (rows of SWE-bench 5 have it)',
    }));
    throw invalidRow(place, raw['instance_id'], worded);
  }
  const columns = checked.value;
  return {
    instanceId: columns.instance_id,
    visible: {
      repo: columns.repo,
      baseCommit: columns.base_commit,
      problemStatement: columns.problem_statement,
    },
    hidden: {
      patch: columns.patch,
      testPatch: columns.test_patch,
      failToPass: columns.FAIL_TO_PASS,
      passToPass: columns.PASS_TO_PASS,
      evalScript: columns.eval_script,
      logParser: columns.log_parser,
      evalType: columns.eval_type,
    },
    image: columns.image ?? null,
  };
}

/** The error for a row: file, instance where it is known, then a line for each problem. */
export function invalidRow(place: RowPlace, instanceId: unknown, problems: readonly Problem[]): TaskError {
  const { file, unit, number, phase } = place;
  return invalidFile({
    code: 'row_invalid',
    phase,
    file,
    wanted: `a file of SWE-bench rows${typeof instanceId === 'string' ? ` (${instanceId})` : ''}`,
    unit,
    problems: problems.map((problem) => ({ ...problem, line: number, column: null })),
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
