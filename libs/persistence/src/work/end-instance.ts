import type { Failure, TerminalInstanceState } from '@assay/contracts';
import { nextInstanceState } from '@assay/lifecycle';
import { ATTRIBUTES, inSpan } from '@assay/telemetry';
import type { Sql } from '../database';
import { finishRunIfDone, type FinishedRun } from './finish-run';
import type { LockedWork } from './lock-work';
import { noteEvent } from './note-event';
import { closeWork } from './open-work';
import type { WorkProtocol } from './work-protocol';
import { workAttributes } from './work-rows';

export interface InstanceEnd {
  readonly state: TerminalInstanceState;
  readonly failure: Failure | null;
  readonly suspicions?: readonly string[];
}

/**
 * Makes an instance terminal and closes its work; if it was the run's last, decides the run in the same transaction.
 * Resolves with the run's end, or null while others are open.
 */
export async function endInstance(
  sql: Sql,
  locked: LockedWork,
  { state, failure, suspicions = [] }: InstanceEnd,
  protocol: WorkProtocol,
): Promise<FinishedRun | null> {
  const { key } = locked;
  if (locked.instanceState !== null) nextInstanceState(locked.instanceState, { type: 'ended', state });
  const span = {
    parent: locked.rootTraceparent,
    attributes: {
      ...workAttributes(key),
      [ATTRIBUTES.state]: state,
      ...(failure === null ? {} : { [ATTRIBUTES.failureCode]: failure.code }),
    },
  };
  return inSpan('terminal', span, async () => {
    await sql.query(
      `update instances set state = $4, failure = $5, suspicions = $6, next_try_at = null, terminal_at = now()
       where run_id = $1 and instance_id = $2 and sample = $3`,
      [
        key.runId,
        key.instanceId,
        key.sample,
        state,
        failure === null ? null : JSON.stringify(failure),
        JSON.stringify(suspicions),
      ],
    );
    await closeWork(sql, key);
    await noteEvent(sql, key, 'instance.terminal', { state, failure: failure?.code ?? null });
    return finishRunIfDone(sql, key.runId, protocol);
  });
}
