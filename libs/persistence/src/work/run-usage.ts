import { type RunId, RunUsage } from '@assay/contracts';
import type { Sql } from '../database';

/**
 * Tokens and money of a run, summed over all its attempts: those too that were tried again. One that called a model and
 * has no price makes the sum unknown; one that started and left no count is counted as such.
 */
export async function runUsage(sql: Sql, runId: RunId): Promise<RunUsage> {
  return summed(sql, runId, ENDED);
}

/**
 * The same as it stands now, for the budget of a run: of attempts that have left no count (those that run, and those that
 * were lost or given back) what their last heartbeat told. Each attempt counts once.
 */
export async function runUsageSoFar(sql: Sql, runId: RunId): Promise<RunUsage> {
  return summed(sql, runId, `coalesce(${ENDED}, spent_so_far)`);
}

/** SQL: the count in an attempt's outcome; null where it has none. */
const ENDED = `case when jsonb_typeof(outcome -> 'usage') = 'object' then outcome -> 'usage' end`;

async function summed(sql: Sql, runId: RunId, usage: string): Promise<RunUsage> {
  const [row] = await sql.query<Record<keyof RunUsage, unknown>>(
    `with used as (
       select started_at, ${usage} as usage
       from attempts where run_id = $1
     )
     select
       coalesce(sum((usage ->> 'calls')::bigint), 0)::float8 as calls,
       coalesce(sum((usage ->> 'promptTokens')::bigint), 0)::float8 as "promptTokens",
       coalesce(sum((usage ->> 'completionTokens')::bigint), 0)::float8 as "completionTokens",
       coalesce(sum((usage ->> 'cachedTokens')::bigint), 0)::float8 as "cachedTokens",
       case when bool_or((usage ->> 'calls')::bigint > 0 and usage ->> 'costUsd' is null) then null
         else coalesce(round(sum((usage ->> 'costUsd')::numeric), 6), 0)::float8 end as "costUsd",
       coalesce(bool_or((usage ->> 'estimated')::boolean), false) as estimated,
       count(usage)::int as attempts,
       count(*) filter (where usage is null and started_at is not null)::int as "uncountedAttempts"
     from used`,
    [runId],
  );
  return RunUsage.parse(row);
}
