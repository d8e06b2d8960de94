import type { RunId } from '@assay/contracts';
import type { Sql } from '../database';

export interface Reschedule {
  readonly runId: RunId;
  /** Why it cannot be frozen yet, for the person who waits. */
  readonly lastError: string;
  readonly delaySeconds: number;
}

/** Puts a WAITING run off, with the reason. False when it is no longer WAITING. */
export async function rescheduleWaiting(sql: Sql, { runId, lastError, delaySeconds }: Reschedule): Promise<boolean> {
  const rows = await sql.query(
    `update runs set next_at = now() + $3 * interval '1 second', last_error = $2, poll_tries = poll_tries + 1
     where id = $1 and state = 'WAITING' returning id`,
    [runId, lastError, delaySeconds],
  );
  return rows.length > 0;
}
