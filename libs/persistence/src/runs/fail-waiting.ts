import type { RunFailure, RunId } from '@assay/contracts';
import type { Sql } from '../database';

/** Ends a WAITING run that can never be measured, with the reason. False when it is no longer WAITING. */
export async function failWaiting(
  sql: Sql,
  { runId, failure }: { readonly runId: RunId; readonly failure: RunFailure },
): Promise<boolean> {
  const rows = await sql.query(
    `with failed as (
       update runs set state = 'FAILED', last_error = $2, failure = jsonb_build_object('code', $3::text, 'message', $2::text),
         next_at = null, finished_at = now()
       where id = $1 and state = 'WAITING' returning id
     ),
     noted as (
       insert into events (run_id, type, data)
       select id, 'run.failed', jsonb_build_object('code', $3::text, 'error', $2::text) from failed
     )
     select id from failed`,
    [runId, failure.message, failure.code],
  );
  return rows.length > 0;
}
