import { InstanceId, type RunId, type WorkKey } from '@assay/contracts';
import type { Sql } from '../database';
import { queueWork } from './queue-work';
import type { WorkProtocol } from './work-protocol';

/**
 * Opens the trial of every queued instance of a run and queues its wake-up. What is open already stays as it is, so a
 * second call does nothing. Resolves with how many were opened.
 */
export async function enqueueRun(sql: Sql, runId: RunId, { names }: Pick<WorkProtocol, 'names'>): Promise<number> {
  const rows = await sql.query<{ instance_id: string; sample: number; traceparent: string | null }>(
    `with opened as (
       insert into work_items (kind, run_id, instance_id, sample, traceparent)
       select 'trial', i.run_id, i.instance_id, i.sample, i.traceparent
       from instances i join runs r on r.id = i.run_id
       where i.run_id = $1 and i.state = 'QUEUED' and r.state in ('QUEUED', 'RUNNING')
       on conflict do nothing
       returning instance_id, sample, traceparent
     ),
     noted as (
       insert into events (run_id, type, data)
       select $1, 'run.enqueued', jsonb_build_object('instances', count(*)) from opened having count(*) > 0
     )
     select opened.* from opened join instances i
       on i.run_id = $1 and i.instance_id = opened.instance_id and i.sample = opened.sample
     order by i.position, i.sample`,
    [runId],
  );
  const works = rows.map(({ instance_id, sample, traceparent }) => {
    const key: WorkKey = { kind: 'trial', runId, instanceId: InstanceId.parse(instance_id), sample };
    return { key, traceparent };
  });
  await queueWork(sql, names, works);
  return works.length;
}
