import { createHash } from 'node:crypto';
import { canonicalJson, type RunId, type SubmitRequest } from '@assay/contracts';
import type { Sql } from '../database';
import { type RawRun, RUN_COLUMNS, type RunRow, runRow } from './run-row';

export interface Submission {
  readonly runId: RunId;
  /** The authenticated repository; empty where there is none. Keys are unique within it. */
  readonly repository: string;
  readonly idempotencyKey: string;
  readonly request: SubmitRequest;
  /** The dispatch span of the request. */
  readonly traceparent: string | null;
}

/**
 * `accepted`: the run of this key, new or (`deduplicated`) as it is now. `conflict`: the key belongs to `run`, which was
 * submitted with another body.
 */
export type SubmissionOutcome =
  | { readonly answer: 'accepted'; readonly run: RunRow; readonly deduplicated: boolean }
  | { readonly answer: 'conflict'; readonly run: RunRow };

/** Stores a submission as a WAITING run that is due at once. Submitting twice is submitting once (design rule 8). */
export async function insertSubmission(sql: Sql, submission: Submission): Promise<SubmissionOutcome> {
  const { runId, repository, idempotencyKey, request, traceparent } = submission;
  const digest = createHash('sha256').update(canonicalJson(request)).digest('hex');
  const [created] = await sql.query<RawRun>(
    `with runs as (
       insert into runs (id, state, repository, idempotency_key, request, request_digest, suite, next_at, traceparent)
       values ($1, 'WAITING', $2, $3, $4, $5, $6, now(), $7)
       on conflict (repository, idempotency_key) do nothing
       returning *
     ),
     noted as (insert into events (run_id, type) select id, 'run.submitted' from runs)
     select ${RUN_COLUMNS} from runs`,
    [runId, repository, idempotencyKey, JSON.stringify(request), digest, request.suite, traceparent],
  );
  if (created !== undefined) return { answer: 'accepted', run: runRow(created), deduplicated: false };
  const [earlier] = await sql.query<RawRun>(
    `select ${RUN_COLUMNS} from runs where repository = $1 and idempotency_key = $2`,
    [repository, idempotencyKey],
  );
  if (earlier === undefined) throw new Error(`idempotency key ${idempotencyKey} is taken by a run that is not there`);
  const run = runRow(earlier);
  return run.requestDigest === digest ? { answer: 'accepted', run, deduplicated: true } : { answer: 'conflict', run };
}
