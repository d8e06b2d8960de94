import type { ChainedSuite, RunId } from '@assay/contracts';
import type { Sql } from '../database';

/**
 * Notes what follows a run by its suite's file. A run that itself follows another one has no chain of its own: a chain
 * belongs to the run that was handed in, so that no circle of suites runs for ever.
 */
export async function insertChain(sql: Sql, runId: RunId, chain: readonly ChainedSuite[]): Promise<void> {
  if (chain.length === 0) return;
  await sql.query(
    `insert into chains (run_id, position, suite, suite_limit, instance_id)
     select $1, link.at - 1, link.step ->> 'suite', (link.step ->> 'limit')::int, link.step ->> 'instanceId'
     from jsonb_array_elements($2::jsonb) with ordinality as link (step, at)
     where not exists (select 1 from chains where child_run_id = $1)`,
    [runId, JSON.stringify(chain)],
  );
}
