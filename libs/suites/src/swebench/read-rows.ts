import type { Phase } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { createReadStream } from 'node:fs';
import { type Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { check, invalidFile } from '../problems/located';
import { officialImage } from './image-name';
import { RowColumns, type SwebenchRow } from './row.schema';

/** One line of a file of rows: the row, and the object as it stood there with all its columns. */
export interface ReadRow {
  readonly row: SwebenchRow;
  readonly raw: Readonly<Record<string, unknown>>;
}

/**
 * Reads `.jsonl` or `.jsonl.gz` line by line; blank lines are skipped.
 * @throws TaskError `row_invalid` naming file, line and column; `source_unreadable` when the file cannot be read
 */
export async function* readRows(file: string): AsyncGenerator<ReadRow> {
  let number = 0;
  try {
    for await (const line of linesOf(file)) {
      number += 1;
      if (line.trim() !== '') yield parseRow(line, file, number, 'dispatch');
    }
  } catch (error) {
    if (error instanceof TaskError) throw error;
    throw unreadable(file, error);
  }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  // An error of either stream reaches the loop, because pipeline destroys the last stream with it.
  const input: Readable = file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => undefined) : bytes;
  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

/** The row that an instance's bundle holds. @throws TaskError `row_invalid` */
export function readRow(bundle: Buffer): SwebenchRow {
  return parseRow(bundle.toString('utf8'), 'the bundle', 1, 'prepare').row;
}

function parseRow(text: string, file: string, line: number, phase: Phase): ReadRow {
  const at = { line, column: null };
  const invalid = (problems: { field: string; value: unknown; expected: string }[], id = '') =>
    invalidFile({
      code: 'row_invalid',
      phase,
      file,
      wanted: `a file of SWE-bench rows${id}`,
      problems: problems.map((problem) => ({ ...problem, ...at })),
    });
  const raw = parseObject(text);
  if (raw === null) throw invalid([{ field: '(line)', value: text, expected: 'expected a JSON object' }]);
  const checked = check(RowColumns, raw);
  if (!checked.ok) {
    const id = typeof raw['instance_id'] === 'string' ? ` (${raw['instance_id']})` : '';
    const missing = (field: string) => !(field in raw);
    const worded = checked.problems.map(({ field, value, expected }) => ({
      field,
      value,
      expected: missing(field) ? 'the column is missing (rows of SWE-bench 5 have it)' : expected,
    }));
    throw invalid(worded, id);
  }
  const columns = checked.value;
  const row: SwebenchRow = {
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
    image: columns.image ?? officialImage(columns.instance_id),
  };
  return { row, raw };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function unreadable(file: string, cause: unknown): TaskError {
  const why = String((cause as { message?: unknown }).message ?? cause);
  return new TaskError(`cannot read the rows of ${file}: ${why}`, {
    code: 'source_unreadable',
    phase: 'dispatch',
    details: { file },
    cause,
  });
}
