import type { ResultMessage } from '@assay/contracts';
import { afterTrial, nextInstanceState } from '@assay/lifecycle';
import type { Sql } from '../database';
import { closeTry } from './close-try';
import { followDecision } from './follow-decision';
import { closeWork, openWork } from './open-work';
import type { Followed, RecordContext } from './record-result';
import type { WorkProtocol } from './work-protocol';

type TrialResult = Extract<ResultMessage, { kind: 'trial' }>;

/** A trial ended: its patch is graded, it is tried again, or its instance is over. */
export async function recordTrial(
  sql: Sql,
  { key, outcome, artifacts }: TrialResult,
  { locked, tried }: RecordContext,
  protocol: WorkProtocol,
): Promise<Followed> {
  const { manifest } = await protocol.manifests.of(sql, key.runId, locked.manifestDigest);
  const failure = outcome.kind === 'failed' ? outcome.failure : null;
  await closeTry(sql, key, tried.id, { state: failure === null ? 'COMPLETED' : 'FAILED', outcome, failure, artifacts });
  const limit = outcome.kind === 'completed' ? outcome.limit : null;
  await sql.query(
    `with image as (update attempts set image_id = $5 where id = $4)
     update instances set attempt_id = $4, reached_limit = $6, attempts = attempts + $7
     where run_id = $1 and instance_id = $2 and sample = $3`,
    [key.runId, key.instanceId, key.sample, tried.id, outcome.imageId, limit, tried.started ? 0 : 1],
  );
  const decision = afterTrial(outcome, {
    attempt: tried.number,
    retry: manifest.retry,
    onLimit: manifest.suite.onLimit,
  });
  if (decision.next !== 'grade') {
    return followDecision(sql, locked, decision, { addTries: tried.started ? 0 : 1 }, protocol);
  }
  if (locked.instanceState !== null) nextInstanceState(locked.instanceState, { type: 'trial_recorded' });
  await sql.query(
    `update instances set state = 'GRADING', failure = null, next_try_at = null
     where run_id = $1 and instance_id = $2 and sample = $3`,
    [key.runId, key.instanceId, key.sample],
  );
  await closeWork(sql, key);
  await openWork(sql, { ...key, kind: 'grade' }, locked.rootTraceparent, protocol);
  return { next: 'grade', finished: null };
}
