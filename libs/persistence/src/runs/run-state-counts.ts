import { InstanceState, type RunId } from '@assay/contracts';
import type { Sql } from '../database';

/** How many instances of a run are in each state; states that nobody is in are left out. */
export type StateCounts = Partial<Record<InstanceState, number>>;

/** The state counts of each of these runs, derived from rows. A run that is not frozen yet has none. */
export async function runStateCounts(sql: Sql, runIds: readonly RunId[]): Promise<Map<RunId, StateCounts>> {
  const rows = await sql.query<{ run_id: RunId; state: string; n: number }>(
    `select run_id, state, count(*)::int as n from instances where run_id = any ($1) group by run_id, state`,
    [runIds],
  );
  const counts = new Map<RunId, StateCounts>(runIds.map((id) => [id, {}]));
  for (const { run_id, state, n } of rows) {
    counts.set(run_id, { ...counts.get(run_id), [InstanceState.parse(state)]: n });
  }
  return counts;
}
