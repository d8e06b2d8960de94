/**
 * For every instance of a run, in milliseconds: `whole` from the grant of its trial to its terminal state, and what trial
 * and grade took by themselves. Rejects unless every instance was graded.
 */
export async function instanceTimes(stack, runId, instances) {
  const rows = await stack.query(
    `select extract(epoch from (i.terminal_at - a.granted_at))::float * 1000 as whole,
            coalesce((a.outcome -> 'timings' ->> 'prepareMs')::float, 0)
              + coalesce((a.outcome -> 'timings' ->> 'agentMs')::float, 0)
              + coalesce((a.outcome -> 'timings' ->> 'extractMs')::float, 0) as trial,
            coalesce((g.outcome ->> 'durationMs')::float, 0) as grade
       from assay.instances i
       join assay.attempts a on a.run_id = i.run_id and a.instance_id = i.instance_id and a.state = 'COMPLETED'
       join assay.grades g on g.attempt_id = a.id and g.state = 'COMPLETED'
      where i.run_id = $1`,
    [runId],
  );
  if (rows.length !== instances) throw new Error(`expected ${instances} graded instances, got ${rows.length}`);
  return rows;
}

/** From the first grant of a run to its last terminal state. Milliseconds. */
export async function wallMs(stack, runId) {
  const [row] = await stack.query(
    `select extract(epoch from max(i.terminal_at) - min(a.granted_at))::float * 1000 as ms
       from assay.instances i join assay.attempts a using (run_id, instance_id, sample) where run_id = $1`,
    [runId],
  );
  return row.ms;
}

export function mean(list) {
  return list.reduce((sum, value) => sum + value, 0) / list.length;
}

/** @returns {(share: number) => number} the value below which that share of the list lies */
export function quantilesOf(list) {
  const sorted = [...list].sort((one, other) => one - other);
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
