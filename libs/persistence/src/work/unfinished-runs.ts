import { RunId } from '@assay/contracts';
import type { Sql } from '../database';

/** Runs whose instances are all terminal but that nobody decided: only a fault of ours leaves such, and the sweep mends it. */
export async function undecidedRuns(sql: Sql): Promise<RunId[]> {
  const rows = await sql.query<{ id: string }>(
    `select r.id from runs r where r.state in ('QUEUED', 'RUNNING') and not exists (
       select 1 from instances i where i.run_id = r.id
         and i.state not in ('RESOLVED','UNRESOLVED','EXECUTION_ERROR','INFRA_FAILED','CANCELLED'))`,
  );
  return rows.map(({ id }) => RunId.parse(id));
}

/** Queued runs whose trials were not opened within `quietMs`: their `run.submitted` message was lost. */
export async function unopenedRuns(sql: Sql, quietMs: number): Promise<RunId[]> {
  const rows = await sql.query<{ id: string }>(
    `select r.id from runs r where r.state = 'QUEUED' and r.queued_at <= now() - $1 * interval '1 millisecond'
       and not exists (select 1 from work_items w where w.run_id = r.id)`,
    [quietMs],
  );
  return rows.map(({ id }) => RunId.parse(id));
}
