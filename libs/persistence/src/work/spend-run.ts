import { RunLimits, type Failure, RunId, type RunBudget, type RunState } from '@assay/contracts';
import { isTerminalRunState, reachedBudget } from '@assay/lifecycle';
import type { Sql } from '../database';
import { noteCancelled, type CancelledInstance } from './cancel-run';
import { finishRunIfDone, type FinishedRun } from './finish-run';
import { runUsageSoFar } from './run-usage';
import type { WorkProtocol } from './work-protocol';

/** What the end of a run's budget did. */
export interface SpentRun {
  readonly budget: RunBudget;
  /** It was found to be used up just now. */
  readonly isNew: boolean;
  readonly cancelledInstances: number;
  readonly finished: FinishedRun | null;
}

/** Open runs with a budget of their own. */
export async function limitedRuns(sql: Sql): Promise<RunId[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from runs where state in ('QUEUED', 'RUNNING') and run_limits is not null order by id`,
  );
  return rows.map(({ id }) => RunId.parse(id));
}

interface LimitedRun {
  readonly state: RunState;
  readonly limits: unknown;
  readonly reached: RunBudget | null;
  readonly seconds: number;
}

/**
 * Looks at a run's budget in the caller's transaction (docs/adr/0011-run-budgets.md). When it is used up while trials are
 * open, that is noted, and every instance whose trial nobody holds becomes CANCELLED, `run_budget_reached`, now and
 * whenever this is called again; those that run are told by their heartbeats, and grades go on. Null: it is not used up, or
 * the run is over or has no budget.
 */
export async function spendRun(sql: Sql, runId: RunId, protocol: WorkProtocol): Promise<SpentRun | null> {
  const [run] = await sql.query<LimitedRun>(
    `select state, run_limits as limits, budget_reached as reached,
       coalesce(extract(epoch from now() - started_at), 0)::float8 as seconds
     from runs where id = $1 and run_limits is not null for no key update`,
    [runId],
  );
  if (run === undefined || isTerminalRunState(run.state)) return null;
  const budget = run.reached ?? (await foundReached(sql, runId, run));
  if (budget === null) return null;
  const cancelled = await cancelUnstarted(sql, runId, budget);
  for (const instance of cancelled) await noteCancelled(runId, instance);
  const finished = cancelled.length === 0 ? null : await finishRunIfDone(sql, runId, protocol);
  return { budget, isNew: run.reached === null, cancelledInstances: cancelled.length, finished };
}

/** Only while a trial is open: a run that has only grades left has had all that its budget bounds. */
async function foundReached(sql: Sql, runId: RunId, { limits, seconds }: LimitedRun): Promise<RunBudget | null> {
  const spent = { ...(await runUsageSoFar(sql, runId)), seconds };
  const budget = reachedBudget(RunLimits.parse(limits), spent);
  if (budget === null) return null;
  const noted = await sql.query(
    `with reached as (
       update runs set budget_reached = $2 where id = $1 and exists (
         select 1 from work_items where run_id = $1 and kind = 'trial' and state = 'OPEN')
       returning id
     )
     insert into events (run_id, type, data) select id, 'run.budget_reached', $3 from reached returning 1`,
    [runId, budget, JSON.stringify({ budget, limits, spent })],
  );
  return noted.length === 0 ? null : budget;
}

/** Lock order everywhere: run, instances by id, work items. */
async function cancelUnstarted(sql: Sql, runId: RunId, budget: RunBudget): Promise<CancelledInstance[]> {
  await sql.query('select 1 from instances where run_id = $1 order by instance_id, sample for no key update', [runId]);
  const failure: Failure = {
    blame: 'task',
    code: 'run_budget_reached',
    message: `the run's budget of ${budget} was used up before this trial had its due`,
    phase: 'lease',
    details: { budget },
  };
  return sql.query<CancelledInstance>(
    `with unheld as (
       update work_items set state = 'DONE', epoch = epoch + 1, expired = false, published_at = null
       where run_id = $1 and kind = 'trial' and state = 'OPEN' and lease_until is null
       returning instance_id, sample
     ),
     ended as (
       update instances i set state = 'CANCELLED', failure = $2, next_try_at = null, terminal_at = now()
       from unheld u where i.run_id = $1 and i.instance_id = u.instance_id and i.sample = u.sample
       returning i.instance_id, i.sample, i.traceparent
     ),
     noted as (
       insert into events (run_id, instance_id, sample, type, data)
       select $1, instance_id, sample, 'instance.terminal', '{"state":"CANCELLED","failure":"run_budget_reached"}' from ended
     ),
     silenced as (
       delete from outbox o using unheld u
       where o.run_id = $1 and o.sent_at is null and o.topic = 'work.trial'
         and o.payload -> 'key' ->> 'instanceId' = u.instance_id and (o.payload -> 'key' ->> 'sample')::int = u.sample
     )
     select * from ended`,
    [runId, JSON.stringify(failure)],
  );
}
