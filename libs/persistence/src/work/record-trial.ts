import type { ResultMessage, WorkKey } from '@assay/contracts';
import { afterTrial, nextInstanceState } from '@assay/lifecycle';
import type { Sql } from '../database';
import { closeTry } from './close-try';
import { endInstance } from './end-instance';
import { followDecision } from './follow-decision';
import { queueWork } from './queue-work';
import type { Followed, RecordContext } from './record-result';
import type { WorkProtocol } from './work-protocol';
import { IS_KEY, keyParameters } from './work-rows';

type TrialResult = Extract<ResultMessage, { kind: 'trial' }>;

/** A trial ended: its patch is graded, it is tried again, or its instance is over; of a check nothing is graded. */
export async function recordTrial(
  sql: Sql,
  result: TrialResult,
  { locked, tried }: RecordContext,
  protocol: WorkProtocol,
): Promise<Followed> {
  const { key, outcome } = result;
  const { manifest } = await protocol.manifests.of(sql, key.runId, locked.manifestDigest);
  await closeTry(sql, result, tried.id, { image_id: outcome.imageId });
  const limit = outcome.kind === 'completed' ? outcome.limit : null;
  const decision = afterTrial(outcome, {
    attempt: tried.number,
    retry: manifest.retry,
    onLimit: manifest.suite.onLimit,
    kind: manifest.suite.kind,
  });
  const addAttempts = tried.started ? 0 : 1;
  if (decision.next === 'checked') {
    await noteTrial(sql, key, { tryId: tried.id, limit, addAttempts });
    const end = { state: 'RESOLVED', failure: null, event: { type: 'checked' } } as const;
    return { next: 'RESOLVED', finished: await endInstance(sql, locked, end, protocol) };
  }
  if (decision.next !== 'grade') {
    await noteTrial(sql, key, { tryId: tried.id, limit, addAttempts });
    return followDecision(sql, locked, decision, { addTries: addAttempts }, protocol);
  }
  if (locked.instanceState !== null) nextInstanceState(locked.instanceState, { type: 'trial_recorded' });
  await handToGrade(sql, key, { tryId: tried.id, limit, addAttempts });
  await queueWork(sql, protocol.names, [{ key: { ...key, kind: 'grade' }, traceparent: locked.rootTraceparent }]);
  return { next: 'grade', finished: null };
}

interface TrialNote {
  readonly tryId: string;
  readonly limit: string | null;
  /** 1 for a try that counts although none of its heartbeats came through. */
  readonly addAttempts: number;
}

/** What the instance keeps of a trial that is not graded. */
async function noteTrial(sql: Sql, key: WorkKey, { tryId, limit, addAttempts }: TrialNote): Promise<void> {
  await sql.query(
    `update instances set attempt_id = $4, reached_limit = $5, attempts = attempts + $6
     where run_id = $1 and instance_id = $2 and sample = $3`,
    [key.runId, key.instanceId, key.sample, tryId, limit, addAttempts],
  );
}

/** The instance is GRADING: its trial is done, and its grade is open. */
async function handToGrade(sql: Sql, key: WorkKey, { tryId, limit, addAttempts }: TrialNote): Promise<void> {
  await sql.query(
    `with shown as (
       update instances set attempt_id = $5, reached_limit = $6, attempts = attempts + $7, state = 'GRADING',
         failure = null, next_try_at = null
       where run_id = $2 and instance_id = $3 and sample = $4 returning traceparent
     ),
     closed as (
       update work_items w set state = 'DONE', lease_until = null, expired = false, published_at = null where ${IS_KEY}
     )
     insert into work_items (kind, run_id, instance_id, sample, traceparent)
     select 'grade', $2, $3, $4, traceparent from shown`,
    [...keyParameters(key), tryId, limit, addAttempts],
  );
}
