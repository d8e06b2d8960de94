import { RunId } from '@assay/contracts';
import type { Sql } from '../database';

/**
 * Runs that are settled while a link of a chain still waits for them: those that ended without a coordinator (a run that
 * FAILED and publishes nothing), and whatever a fault of ours left behind.
 */
export async function settledBeforeChains(sql: Sql): Promise<RunId[]> {
  const rows = await sql.query<{ id: string }>(
    `select r.id from chains c
     left join chains b on b.run_id = c.run_id and b.position + 1 = c.position
     join runs r on r.id = case when c.position = 0 then c.run_id else b.child_run_id end
     where c.state = 'PENDING' and (r.state = 'CANCELLED' or (
       r.state in ('SUCCEEDED','QUARANTINED','FAILED') and r.publication_state not in ('PENDING','WRITTEN')))
     order by r.created_at, r.id`,
  );
  return rows.map(({ id }) => RunId.parse(id));
}
