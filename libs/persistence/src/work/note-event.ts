import { PUBLICATION_INSTANCE, type WorkKey } from '@assay/contracts';
import type { Sql } from '../database';

/** Adds a line to the run's story. `key` names the instance; a publication belongs to the run alone. */
export async function noteEvent(sql: Sql, key: WorkKey, type: string, data: object): Promise<void> {
  const instance = key.kind === 'publication' && key.instanceId === PUBLICATION_INSTANCE ? null : key.instanceId;
  await sql.query('insert into events (run_id, instance_id, sample, type, data) values ($1, $2, $3, $4, $5)', [
    key.runId,
    instance,
    instance === null ? null : key.sample,
    type,
    JSON.stringify(data),
  ]);
}
