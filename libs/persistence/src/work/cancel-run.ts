import type { RunId, RunState } from '@assay/contracts';
import { isTerminalRunState } from '@assay/lifecycle';
import { ATTRIBUTES, inSpan } from '@assay/telemetry';
import { skipChain } from '../chain/skip-chain';
import type { Sql } from '../database';
import { finishRunIfDone } from './finish-run';
import type { WorkProtocol } from './work-protocol';

export interface CancelledRun {
  readonly state: RunState;
  readonly cancelledInstances: number;
}

/**
 * Cancels a run in the caller's transaction: open instances become CANCELLED, their work is closed with a higher epoch
 * (so whoever holds it has lost it), unsent wake-ups are dropped, and the run is decided (QUARANTINED). What follows it in a chain
 * is skipped. A run that is still
 * WAITING becomes CANCELLED itself; one that is over stays as it is. Null when there is no such run.
 */
export async function cancelRun(sql: Sql, runId: RunId, protocol: WorkProtocol): Promise<CancelledRun | null> {
  const [run] = await sql.query<{ state: RunState }>('select state from runs where id = $1 for no key update', [runId]);
  if (run === undefined) return null;
  if (isTerminalRunState(run.state)) return { state: run.state, cancelledInstances: 0 };
  await skipChain(sql, runId, { cause: 'cancelled', reason: `the run ${runId} before it was cancelled` });
  if (run.state === 'WAITING') {
    await sql.query(
      `with ended as (
         update runs set state = 'CANCELLED', next_at = null, finished_at = now(), publication_state = 'NONE'
         where id = $1 returning id
       )
       insert into events (run_id, type) select id, 'run.cancelled' from ended`,
      [runId],
    );
    return { state: 'CANCELLED', cancelledInstances: 0 };
  }
  await sql.query('select 1 from instances where run_id = $1 order by instance_id, sample for no key update', [runId]);
  const cancelled = await sql.query<CancelledInstance>(
    `with ended as (
       update instances set state = 'CANCELLED', next_try_at = null, terminal_at = now()
       where run_id = $1 and state not in ('RESOLVED','UNRESOLVED','EXECUTION_ERROR','INFRA_FAILED','CANCELLED')
       returning instance_id, sample, traceparent
     ),
     noted as (
       insert into events (run_id, instance_id, sample, type, data)
       select $1, instance_id, sample, 'instance.terminal', '{"state":"CANCELLED"}' from ended
     )
     select * from ended`,
    [runId],
  );
  for (const instance of cancelled) await noteCancelled(runId, instance);
  await closeOpenWork(sql, runId);
  const finished = await finishRunIfDone(sql, runId, protocol);
  return { state: finished?.state ?? run.state, cancelledInstances: cancelled.length };
}

export interface CancelledInstance {
  readonly instance_id: string;
  readonly sample: number;
  readonly traceparent: string | null;
}

/** The end of an instance's trace. */
export function noteCancelled(runId: RunId, { instance_id, sample, traceparent }: CancelledInstance): Promise<void> {
  const attributes = {
    [ATTRIBUTES.runId]: runId,
    [ATTRIBUTES.instanceId]: instance_id,
    [ATTRIBUTES.sample]: sample,
    [ATTRIBUTES.state]: 'CANCELLED',
  };
  return inSpan('terminal', { parent: traceparent, attributes }, () => Promise.resolve());
}

async function closeOpenWork(sql: Sql, runId: RunId): Promise<void> {
  for (const tries of ['attempts', 'grades']) {
    await sql.query(
      `update ${tries} set state = 'CANCELLED', finished_at = now() where run_id = $1 and state in ('GRANTED', 'STARTED')`,
      [runId],
    );
  }
  await sql.query(
    `update work_items set state = 'DONE', epoch = epoch + 1, lease_until = null, expired = false, published_at = null
     where run_id = $1 and kind <> 'publication' and state = 'OPEN'`,
    [runId],
  );
  await sql.query(
    `delete from outbox where run_id = $1 and sent_at is null and topic in ('work.trial', 'work.grade')`,
    [runId],
  );
}
