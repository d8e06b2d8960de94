import type { RunId } from '@assay/contracts';
import type { Sql } from '../database';

/** Keeps what the evaluated ref of a WAITING run was resolved to, so that whoever looks sees it, and a restart knows it. */
export async function noteCommit(
  sql: Sql,
  { runId, commit }: { readonly runId: RunId; readonly commit: string },
): Promise<void> {
  await sql.query(`update runs set evaluated_commit = $2 where id = $1 and state = 'WAITING'`, [runId, commit]);
}
