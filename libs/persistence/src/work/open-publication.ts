import { PUBLICATION_INSTANCE, type RunId } from '@assay/contracts';
import type { Sql } from '../database';
import { openWork } from './open-work';
import { supersedeOlder } from './supersede';
import type { WorkProtocol } from './work-protocol';

/** Makes the publication of a run that is over due, if there is anything to be published, and turns older ones away. */
export async function openPublication(
  sql: Sql,
  runId: RunId,
  traceparent: string | null,
  protocol: Pick<WorkProtocol, 'names'>,
): Promise<void> {
  const [publication] = await sql.query(`select 1 from publications where run_id = $1 and state = 'PENDING'`, [runId]);
  if (publication === undefined) return;
  const key = { kind: 'publication' as const, runId, instanceId: PUBLICATION_INSTANCE, sample: 0 };
  await openWork(sql, key, traceparent, protocol);
  await supersedeOlder(sql, runId, 'open');
}
