/**
 * SQL condition on the alias `run` of `runs`: a worker of the kind in `kind` was heard of within `aliveMs` milliseconds and
 * has the build that the run is frozen to. A wake-up that nobody may answer would only stand in the way of others.
 * Publications measure nothing, so any publisher may write them.
 */
export function mayWorkOn(run: string, kind: string, aliveMs: string): string {
  return `(${kind} = 'publication' or ${run}.build_digest is null or exists (
    select 1 from workers v where v.kind = ${kind} and v.build_digest = ${run}.build_digest
      and v.last_seen_at > now() - ${aliveMs} * interval '1 millisecond'))`;
}
