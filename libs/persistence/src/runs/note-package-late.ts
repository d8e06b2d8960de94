import type { RunId } from '@assay/contracts';
import type { Sql } from '../database';

export interface PackageLate {
  readonly runId: RunId;
  /** Seconds since the first look in vain. */
  readonly afterSeconds: number;
}

/** Notes, once, that a WAITING run waits for its package for longer than usual. True: just now. */
export async function notePackageLate(sql: Sql, { runId, afterSeconds }: PackageLate): Promise<boolean> {
  const rows = await sql.query(
    `insert into events (run_id, type, data)
     select id, 'package.late', jsonb_build_object('since', package_since, 'error', last_error) from runs
     where id = $1 and state = 'WAITING' and package_since <= now() - $2 * interval '1 second'
       and not exists (select 1 from events where run_id = $1 and type = 'package.late')
     returning 1`,
    [runId, afterSeconds],
  );
  return rows.length > 0;
}
