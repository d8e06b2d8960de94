import type { ChainSkip, RunId } from '@assay/contracts';
import { CHAIN_STEPS } from '@assay/lifecycle';
import type { Sql } from '../database';
import { NEXT_AFTER } from './chain-row';

export interface Skipping {
  readonly cause: ChainSkip;
  /** For the person who waits for it. */
  readonly reason: string;
}

/** Ends the chain behind a run, in the caller's transaction: its next link and all after it. False: nothing waits for it. */
export async function skipChain(sql: Sql, runId: RunId, { cause, reason }: Skipping): Promise<boolean> {
  const rows = await sql.query(
    `with next as (select c.run_id, c.position from chains c where ${NEXT_AFTER}),
     skipped as (
       update chains c set state = $4, cause = $2, reason = $3, settled_at = now() from next
       where c.run_id = next.run_id and c.position >= next.position and c.state = any ($5)
       returning c.run_id, c.suite, c.position
     ),
     noted as (
       insert into events (run_id, type, data)
       select run_id, 'chain.skipped', jsonb_build_object('suite', suite, 'reason', $3::text) from skipped order by position
     )
     select 1 from skipped`,
    [runId, cause, reason, CHAIN_STEPS.skipped.to, CHAIN_STEPS.skipped.from],
  );
  return rows.length > 0;
}

/** A run that gave way to a newer one is the newest again: what was skipped for that waits for it once more. */
export async function reopenChain(sql: Sql, runId: RunId): Promise<void> {
  await sql.query(
    `with next as (
       select c.run_id, c.position from chains c where c.cause = 'superseded' and (
         (c.run_id = $1 and c.position = 0) or exists (
           select 1 from chains b where b.child_run_id = $1 and b.run_id = c.run_id and b.position + 1 = c.position))
     ),
     opened as (
       update chains c set state = $2, cause = null, reason = null, settled_at = null from next
       where c.run_id = next.run_id and c.position >= next.position and c.cause = 'superseded' and c.state = any ($3)
       returning c.run_id, c.suite, c.position
     )
     insert into events (run_id, type, data)
     select run_id, 'chain.reopened', jsonb_build_object('suite', suite) from opened order by position`,
    [runId, CHAIN_STEPS.reopened.to, CHAIN_STEPS.reopened.from],
  );
}
