import { PUBLICATION_INSTANCE, RunId } from '@assay/contracts';
import { reopenChain } from '../chain/skip-chain';
import type { Sql } from '../database';
import { openWork } from './open-work';
import { stepPublication } from './publication-state';
import { hasNewerPublication } from './supersede';
import type { WorkProtocol } from './work-protocol';

/**
 * A run whose publication wrote nothing in the end (refused, or shown only) takes no other run's place: the newest older
 * run of the same release and suite that gave way to it is published after all. Null: there is none.
 */
export async function reinstateOlder(
  sql: Sql,
  runId: RunId,
  protocol: Pick<WorkProtocol, 'names'>,
): Promise<RunId | null> {
  const [older] = await sql.query<{ id: string; traceparent: string | null; state: string }>(
    `select r.id, r.traceparent, p.state from publications mine
     join runs me on me.id = mine.run_id
     join publications p on p.repository = mine.repository and p.release_id = mine.release_id and p.suite = mine.suite
     join runs r on r.id = p.run_id
     where mine.run_id = $1 and (r.created_at, r.id) < (me.created_at, me.id)
       and p.state not in ('NONE', 'REFUSED', 'DRY_RUN')
     order by r.created_at desc, r.id desc limit 1
     for no key update of r`,
    [runId],
  );
  if (older?.state !== 'SUPERSEDED') return null;
  const id = RunId.parse(older.id);
  if (await hasNewerPublication(sql, id)) return null;
  await stepPublication(sql, id, { type: 'reinstated' });
  await reopenChain(sql, id);
  const key = { kind: 'publication' as const, runId: id, instanceId: PUBLICATION_INSTANCE, sample: 0 };
  await openWork(sql, key, older.traceparent, protocol);
  return id;
}
