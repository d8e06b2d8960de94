import type { PublicationState, RunId } from '@assay/contracts';
import { nextPublicationState, type PublicationEvent } from '@assay/lifecycle';
import type { Sql } from '../database';

/** What a step changes beside the state: names of columns of `publications`, and values. */
export type PublicationChange = Readonly<Record<string, string | number | null>>;

/**
 * Takes one step of a publication, in the caller's transaction, which holds the run's row: its own state, the run's copy
 * of it, and an event.
 * @param lastError of the run: why it is not written yet; null: nothing failed
 * @throws IllegalTransition for a step that the machine does not have
 */
export async function stepPublication(
  sql: Sql,
  runId: RunId,
  event: PublicationEvent,
  { change = {}, lastError = null }: { readonly change?: PublicationChange; readonly lastError?: string | null } = {},
): Promise<PublicationState> {
  const [row] = await sql.query<{ state: PublicationState }>(
    'select state from publications where run_id = $1 for no key update',
    [runId],
  );
  if (row === undefined) throw new Error(`run ${runId} has no publication`);
  const state = nextPublicationState(row.state, event);
  const columns = Object.keys(change);
  await sql.query(
    `with p as (
       update publications set state = $2, last_error = $3${columns.map((name, at) => `, ${name} = $${at + 4}`).join('')}
       where run_id = $1 returning run_id
     )
     update runs set publication_state = $2, last_error = $3 where id in (select run_id from p)`,
    [runId, state, lastError, ...columns.map((name) => change[name] ?? null)],
  );
  if (state === row.state) return state;
  await sql.query('insert into events (run_id, type) values ($1, $2)', [runId, `publication.${state.toLowerCase()}`]);
  return state;
}
