import { nextInstanceState, type RetryOrEnd } from '@assay/lifecycle';
import type { Sql } from '../database';
import { endInstance } from './end-instance';
import type { LockedWork } from './lock-work';
import { noteEvent } from './note-event';
import { postponeWork, type Postponed } from './open-work';
import type { Followed } from './record-result';
import type { WorkProtocol } from './work-protocol';

/** Does what was decided after a try that left no verdict: waits and tries again, or makes the instance terminal. */
export async function followDecision(
  sql: Sql,
  locked: LockedWork,
  decision: RetryOrEnd,
  how: Omit<Postponed, 'delayMs' | 'wantsIdle'> & { readonly suspicions?: readonly string[] },
  protocol: WorkProtocol,
): Promise<Followed> {
  const { key } = locked;
  if (decision.next === 'terminal') {
    const end = { state: decision.state, failure: decision.failure, suspicions: how.suspicions ?? [] };
    return { next: decision.state, finished: await endInstance(sql, locked, end, protocol) };
  }
  const { delaySeconds, failure, wantsIdle } = decision;
  if (locked.instanceState !== null) nextInstanceState(locked.instanceState, { type: 'retry' });
  await sql.query(
    `update instances set state = 'RETRY_WAIT', failure = $4, next_try_at = now() + $5 * interval '1 second'
     where run_id = $1 and instance_id = $2 and sample = $3`,
    [key.runId, key.instanceId, key.sample, JSON.stringify(failure), delaySeconds],
  );
  const postponed = { ...how, delayMs: delaySeconds * 1000, wantsIdle };
  await postponeWork(sql, key, postponed, locked.rootTraceparent, protocol);
  await noteEvent(sql, key, `${key.kind}.retry`, { delaySeconds, failure: failure.code });
  return { next: 'retry', finished: null };
}
