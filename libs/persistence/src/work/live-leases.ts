import { WorkKey } from '@assay/contracts';
import type { Sql } from '../database';

/** A lease that nobody expired: what carries its labels on an engine is not to be reaped. */
export interface LiveLease {
  readonly key: WorkKey;
  readonly epoch: number;
}

/** Every lease that lives, lapsed ones included until they are expired. */
export async function liveLeases(sql: Sql): Promise<LiveLease[]> {
  const rows = await sql.query<{ kind: string; run_id: string; instance_id: string; sample: number; epoch: number }>(
    `select kind, run_id, instance_id, sample, epoch from work_items
     where state = 'OPEN' and lease_until is not null and not expired
     order by kind, run_id, instance_id, sample`,
  );
  return rows.map(({ kind, run_id, instance_id, sample, epoch }) => ({
    key: WorkKey.parse({ kind, runId: run_id, instanceId: instance_id, sample }),
    epoch,
  }));
}
