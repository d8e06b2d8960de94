import { ImageSource, NextImage, TERMINAL_INSTANCE_STATES, type WorkerId } from '@assay/contracts';
import type { Sql } from '../database';

/** Runs whose trials and grades want images of an engine, with every frozen instance. */
const FROZEN = `runs r
  cross join lateral jsonb_array_elements(r.manifest -> 'instances') as frozen (instance)
  join instances i on i.run_id = r.id and i.instance_id = frozen.instance ->> 'id'`;
const WANTS_IMAGES = `r.state in ('QUEUED', 'RUNNING') and r.manifest ->> 'sandbox' = 'docker'`;

/**
 * Images of all instances that are not terminal, each once: first those of leased work and of grades (their trial ran in
 * the image), then by when they are due; those of paused runs last.
 */
export async function neededImages(sql: Sql, limit: number): Promise<ImageSource[]> {
  const rows = await sql.query<{ image: unknown }>(
    `select image from (
       select frozen.instance -> 'image' as image, row_number() over (
         order by coalesce(w.in_work, false) desc, r.paused, coalesce(w.run_at, r.queued_at), r.queued_at, i.position
       ) as turn
       from ${FROZEN}
       left join lateral (
         select bool_or(lease_until is not null or kind = 'grade') as in_work, min(run_at) as run_at from work_items
         where run_id = i.run_id and instance_id = i.instance_id and sample = i.sample and state = 'OPEN'
       ) w on true
       where ${WANTS_IMAGES} and i.state <> all ($2)
     ) as wanted
     group by image order by min(turn) limit $1`,
    [limit, TERMINAL_INSTANCE_STATES],
  );
  return rows.map(({ image }) => ImageSource.parse(image));
}

/**
 * The images of open trials that nobody holds and that the worker may be given (runs frozen to its build or to none, not
 * paused), each once, the soonest due first.
 */
export async function nextImages(sql: Sql, worker: WorkerId, limit: number): Promise<NextImage[]> {
  if (limit === 0) return [];
  const rows = await sql.query<{ instance: Record<string, unknown> }>(
    `select instance from (
       select distinct on (frozen.instance -> 'image') frozen.instance, w.run_at, r.queued_at, i.position
       from ${FROZEN}
       join work_items w on w.kind = 'trial' and w.run_id = i.run_id and w.instance_id = i.instance_id
         and w.sample = i.sample and w.state = 'OPEN' and w.lease_until is null
       where ${WANTS_IMAGES} and not r.paused
         and (r.build_digest is null or r.build_digest = (select build_digest from workers where id = $1))
       order by frozen.instance -> 'image', w.run_at, r.queued_at, i.position
     ) as due
     order by run_at, queued_at, position limit $2`,
    [worker, limit],
  );
  return rows.map(({ instance: { id, source, bundle, image } }) => NextImage.parse({ id, source, bundle, image }));
}
