import type { Sql } from '../database';
import { type RawRun, RUN_COLUMNS, type RunRow, runRow } from './run-row';

/**
 * Takes the WAITING run that is due longest, for `leaseSeconds`: no other poller gets it before then, and if this one
 * dies it is due again after that. Null when none is due. What follows (`freezeRun`, `rescheduleWaiting`, `failWaiting`)
 * does nothing to a run that is no longer WAITING, so a poller that was too slow does no harm.
 */
export async function claimWaitingRun(
  sql: Sql,
  { leaseSeconds }: { readonly leaseSeconds: number },
): Promise<RunRow | null> {
  const [row] = await sql.query<RawRun>(
    `update runs set next_at = now() + $1 * interval '1 second'
     where id = (
       select id from runs where state = 'WAITING' and next_at <= now()
       order by next_at, id limit 1 for update skip locked
     )
     returning ${RUN_COLUMNS}`,
    [leaseSeconds],
  );
  return row === undefined ? null : runRow(row);
}
