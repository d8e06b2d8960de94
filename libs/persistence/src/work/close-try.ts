import type { ArtifactRef, AttemptState, Failure, WorkKey } from '@assay/contracts';
import type { Sql } from '../database';
import { insertArtifacts } from './lock-work';
import { TRIES_TABLE } from './work-rows';

export interface ClosedTry {
  readonly state: Extract<AttemptState, 'COMPLETED' | 'FAILED'>;
  readonly outcome: unknown;
  readonly failure: Failure | null;
  readonly artifacts: readonly ArtifactRef[];
}

/** Writes what came of a try: its outcome, and what it left in the store. A try that never beat counts as started. */
export async function closeTry(sql: Sql, key: WorkKey, tryId: string, closed: ClosedTry): Promise<void> {
  await sql.query(
    `update ${TRIES_TABLE[key.kind]} set state = $2, outcome = $3, failure = $4, finished_at = now(),
       started_at = coalesce(started_at, now())
     where id = $1`,
    [
      tryId,
      closed.state,
      JSON.stringify(closed.outcome),
      closed.failure === null ? null : JSON.stringify(closed.failure),
    ],
  );
  await insertArtifacts(sql, key, tryId, closed.artifacts);
}
