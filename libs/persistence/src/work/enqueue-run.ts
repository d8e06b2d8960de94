import { InstanceId, isGradeOnly, type RunId, type WorkKey, type WorkKind } from '@assay/contracts';
import type { Sql } from '../database';
import { queueWork } from './queue-work';
import { takePredictions } from './take-predictions';
import type { WorkProtocol } from './work-protocol';

/** An instance whose first work was opened. */
export interface OpenedWork {
  readonly instance_id: string;
  readonly sample: number;
  readonly traceparent: string | null;
}

/**
 * Opens the first work of every queued instance of a run and queues its wake-up: its trial, or in a grade-only run the
 * grade of its prediction. What is open already stays as it is, so a second call does nothing. Resolves with how many
 * were opened.
 */
export async function enqueueRun(sql: Sql, runId: RunId, protocol: WorkProtocol): Promise<number> {
  const [run] = await sql.query<{ manifest_digest: string }>(
    `select manifest_digest from runs where id = $1 and state in ('QUEUED', 'RUNNING') for no key update`,
    [runId],
  );
  if (run === undefined) return 0;
  const { manifest } = await protocol.manifests.of(sql, runId, run.manifest_digest);
  const kind: WorkKind = isGradeOnly(manifest) ? 'grade' : 'trial';
  const opened = kind === 'grade' ? await takePredictions(sql, runId, manifest) : await openTrials(sql, runId);
  if (opened.length > 0) {
    await sql.query(`insert into events (run_id, type, data) values ($1, 'run.enqueued', $2)`, [
      runId,
      JSON.stringify({ instances: opened.length }),
    ]);
  }
  const works = opened.map(({ instance_id, sample, traceparent }) => {
    const key: WorkKey = { kind, runId, instanceId: InstanceId.parse(instance_id), sample };
    return { key, traceparent };
  });
  await queueWork(sql, protocol.names, works);
  return works.length;
}

function openTrials(sql: Sql, runId: RunId): Promise<OpenedWork[]> {
  return sql.query<OpenedWork>(
    `with opened as (
       insert into work_items (kind, run_id, instance_id, sample, traceparent)
       select 'trial', run_id, instance_id, sample, traceparent from instances
       where run_id = $1 and state = 'QUEUED'
       on conflict do nothing
       returning instance_id, sample, traceparent
     )
     select opened.* from opened join instances i
       on i.run_id = $1 and i.instance_id = opened.instance_id and i.sample = opened.sample
     order by i.position, i.sample`,
    [runId],
  );
}
