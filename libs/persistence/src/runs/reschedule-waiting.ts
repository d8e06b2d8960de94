import type { RunId } from '@assay/contracts';
import type { Sql } from '../database';

export interface Reschedule {
  readonly runId: RunId;
  /** Why it cannot be frozen yet, for the person who waits. */
  readonly lastError: string;
  readonly delaySeconds: number;
  /** `package`: from the first such look on its wait is measured. */
  readonly waitsFor: 'package' | 'other';
}

/** Puts a WAITING run off, with the reason. False when it is no longer WAITING. */
export async function rescheduleWaiting(
  sql: Sql,
  { runId, lastError, delaySeconds, waitsFor }: Reschedule,
): Promise<boolean> {
  const rows = await sql.query(
    `update runs set next_at = now() + $3 * interval '1 second', last_error = $2, poll_tries = poll_tries + 1,
       package_since = case when $4 then coalesce(package_since, now()) else package_since end
     where id = $1 and state = 'WAITING' returning id`,
    [runId, lastError, delaySeconds, waitsFor === 'package'],
  );
  return rows.length > 0;
}
