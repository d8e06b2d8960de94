import type { Failure, TerminalInstanceState } from '@assay/contracts';
import { type InstanceEvent, nextInstanceState } from '@assay/lifecycle';
import { ATTRIBUTES, inSpan } from '@assay/telemetry';
import type { Sql } from '../database';
import { finishRunIfDone, type FinishedRun } from './finish-run';
import type { LockedWork } from './lock-work';
import type { WorkProtocol } from './work-protocol';
import { IS_KEY, keyParameters, workAttributes } from './work-rows';

export interface InstanceEnd {
  readonly state: TerminalInstanceState;
  readonly failure: Failure | null;
  readonly suspicions?: readonly string[];
  /** What led to it; absent: that it ended. */
  readonly event?: InstanceEvent;
}

/**
 * Makes an instance terminal and closes its work; if it was the run's last, decides the run in the same transaction.
 * Resolves with the run's end, or null while others are open.
 */
export async function endInstance(
  sql: Sql,
  locked: LockedWork,
  { state, failure, suspicions = [], event = { type: 'ended', state } }: InstanceEnd,
  protocol: WorkProtocol,
): Promise<FinishedRun | null> {
  const { key } = locked;
  if (!locked.runIsLocked) throw new Error(`the run of ${key.instanceId} must be locked before an instance ends`);
  if (locked.instanceState !== null) nextInstanceState(locked.instanceState, event);
  const span = {
    parent: locked.rootTraceparent,
    attributes: {
      ...workAttributes(key),
      [ATTRIBUTES.state]: state,
      ...(failure === null ? {} : { [ATTRIBUTES.failureCode]: failure.code }),
    },
  };
  return inSpan('terminal', span, async () => {
    const [row] = await sql.query<{ last: boolean }>(
      `with ended as (
         update instances set state = $5, failure = $6, suspicions = $7, next_try_at = null, terminal_at = now()
         where run_id = $2 and instance_id = $3 and sample = $4
       ),
       closed as (
         update work_items w set state = 'DONE', lease_until = null, expired = false, published_at = null where ${IS_KEY}
       ),
       noted as (
         insert into events (run_id, instance_id, sample, type, data) values ($2, $3, $4, 'instance.terminal',
           jsonb_build_object('state', $5::text, 'failure', $6::jsonb ->> 'code'))
       )
       select not exists (
         select 1 from instances where run_id = $2 and (instance_id, sample) <> ($3, $4::int)
           and state not in ('RESOLVED','UNRESOLVED','EXECUTION_ERROR','INFRA_FAILED','CANCELLED')) as last`,
      [...keyParameters(key), state, failure === null ? null : JSON.stringify(failure), JSON.stringify(suspicions)],
    );
    return row?.last === true ? finishRunIfDone(sql, key.runId, protocol) : null;
  });
}
