import type { InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { fileLines } from '../files/file-lines';
import { parquetRows } from '../files/parquet-rows';
import { invalidRow, parseRow, type RowPlace } from './parse-row';
import type { SwebenchRow } from './row.schema';

/** One row of a file: the row, and the object as it stood there with all its columns. */
export interface ReadRow {
  readonly row: SwebenchRow;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly place: RowPlace;
}

/**
 * Reads `.jsonl` and `.jsonl.gz` line by line (blank lines are skipped) and `.parquet` row by row. An id may occur once.
 * @throws TaskError `row_invalid` naming file, line or row, and column; `source_unreadable` when the file cannot be read
 */
export async function* readRows(file: string): AsyncGenerator<ReadRow> {
  const seen = new Map<InstanceId, RowPlace>();
  try {
    for await (const { raw, place } of file.endsWith('.parquet') ? recordsOf(file) : linesWithRows(file)) {
      const row = parseRow(raw, place);
      requireFirst(seen, row.instanceId, place);
      yield { row, raw: raw as ReadRow['raw'], place };
    }
  } catch (error) {
    if (error instanceof TaskError) throw error;
    throw unreadable(file, error);
  }
}

/** The row that an instance's bundle holds. @throws TaskError `row_invalid` */
export function readRow(bundle: Buffer): SwebenchRow {
  const place: RowPlace = { file: 'the bundle', unit: 'line', number: 1, phase: 'prepare' };
  return parseRow(jsonOf(bundle.toString('utf8')), place);
}

interface RawRow {
  readonly raw: unknown;
  readonly place: RowPlace;
}

async function* linesWithRows(file: string): AsyncGenerator<RawRow> {
  let number = 0;
  for await (const line of fileLines(file)) {
    number += 1;
    if (line.trim() !== '') yield { raw: jsonOf(line), place: { file, unit: 'line', number, phase: 'dispatch' } };
  }
}

async function* recordsOf(file: string): AsyncGenerator<RawRow> {
  let number = 0;
  for await (const raw of parquetRows(file)) {
    number += 1;
    yield { raw, place: { file, unit: 'row', number, phase: 'dispatch' } };
  }
}

/** The value of the JSON text; what is no JSON stays text, which is no row. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function requireFirst(seen: Map<InstanceId, RowPlace>, id: InstanceId, place: RowPlace): void {
  const first = seen.get(id);
  if (first === undefined) {
    seen.set(id, place);
    return;
  }
  const expected = `expected an id that occurs once, it is also in ${first.unit} ${first.number}`;
  throw invalidRow(place, null, [{ field: 'instance_id', value: id, expected }]);
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
