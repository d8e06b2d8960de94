import type { RunId } from '@assay/contracts';
import type { Sql } from '../database';
import { type RawRun, RUN_COLUMNS, type RunRow, runRow } from './run-row';

/** One run, or null where there is no such run. */
export async function getRun(sql: Sql, runId: RunId): Promise<RunRow | null> {
  const [row] = await sql.query<RawRun>(`select ${RUN_COLUMNS} from runs where id = $1`, [runId]);
  return row === undefined ? null : runRow(row);
}
