import { RunId, type Timings } from '@assay/contracts';
import type { Sql } from '../database';
import { SERVED_AT } from '../runs/run-row';

/**
 * Runs that no worker of their build could serve for `stalledMs`: each gets an event, once until it is served again.
 * Resolves with those that are new among them.
 */
export async function noteStalledRuns(sql: Sql, { stalledMs }: Pick<Timings, 'stalledMs'>): Promise<RunId[]> {
  const rows = await sql.query<{ run_id: string }>(
    `with served as (
       select runs.id, ${SERVED_AT} as at from runs where runs.state in ('QUEUED', 'RUNNING') and not runs.paused
     )
     insert into events (run_id, type, data)
     select id, 'run.stalled', jsonb_build_object('servedAt', at) from served
     where at < now() - $1 * interval '1 millisecond' and not exists (
       select 1 from events where events.run_id = served.id and events.type = 'run.stalled' and events.at > served.at)
     returning run_id`,
    [stalledMs],
  );
  return rows.map(({ run_id }) => RunId.parse(run_id));
}
