import { RunId } from '@assay/contracts';
import { settleChain } from '../chain/settle-chain';
import type { Sql } from '../database';

/**
 * `open`: publications that nobody works on now (a leased one is turned away when it ends). `all`: those already
 * PUBLISHED too, once the newer run stands on the release.
 */
export type SupersedeScope = 'open' | 'all';

/**
 * Per release and suite the newest run wins: marks every older run's publication SUPERSEDED and closes its work.
 * Resolves with the ids of those runs. Runs are locked from newer to older, so that two runs that end together
 * cannot wait for each other.
 */
export async function supersedeOlder(sql: Sql, runId: RunId, scope: SupersedeScope): Promise<string[]> {
  const older = await sql.query<{ id: string }>(
    `select r.id from publications mine
     join runs me on me.id = mine.run_id
     join publications p on p.repository = mine.repository and p.release_id = mine.release_id and p.suite = mine.suite
     join runs r on r.id = p.run_id
     where mine.run_id = $1 and (r.created_at, r.id) < (me.created_at, me.id)
       and p.state = any ($2)
     order by r.created_at desc, r.id desc
     for no key update of r`,
    [runId, scope === 'all' ? ['PENDING', 'WRITTEN', 'PUBLISHED'] : ['PENDING', 'WRITTEN']],
  );
  return supersede(
    sql,
    older.map(({ id }) => id),
  );
}

/**
 * True when a newer run of the same release and suite has a publication, under way or done: this one is not to be written
 * any more. One that wrote nothing in the end (REFUSED, DRY_RUN) takes nobody's place.
 */
export async function hasNewerPublication(sql: Sql, runId: RunId): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from publications mine
     join runs me on me.id = mine.run_id
     join publications p on p.repository = mine.repository and p.release_id = mine.release_id and p.suite = mine.suite
     join runs r on r.id = p.run_id
     where mine.run_id = $1 and (r.created_at, r.id) > (me.created_at, me.id)
       and p.state not in ('NONE', 'REFUSED', 'DRY_RUN') limit 1`,
    [runId],
  );
  return rows.length > 0;
}

/** Marks the publications of these runs SUPERSEDED, except those that a worker holds; resolves with the marked. */
export async function supersede(sql: Sql, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const rows = await sql.query<{ run_id: string }>(
    `with closed as (
       update work_items set state = 'DONE', published_at = null
       where kind = 'publication' and run_id = any ($1) and lease_until is null
       returning run_id
     ),
     p as (
       update publications set state = 'SUPERSEDED' where run_id in (select run_id from closed) returning run_id
     ),
     r as (update runs set publication_state = 'SUPERSEDED' where id in (select run_id from p)),
     noted as (insert into events (run_id, type) select run_id, 'publication.superseded' from p)
     select run_id from p`,
    [runIds],
  );
  const ids = rows.map((row) => row.run_id);
  for (const id of ids) await settleChain(sql, RunId.parse(id));
  return ids;
}
