import type { RunId, RunOrigin, SubmitRequest } from '@assay/contracts';
import type { Sql } from '../database';
import { findSubmission, requestDigest, type SubmissionKey } from './find-submission';
import { type RawRun, RUN_COLUMNS, type RunRow, runRow } from './run-row';

export interface Submission extends Omit<SubmissionKey, 'received'> {
  readonly runId: RunId;
  readonly request: SubmitRequest;
  /** What the request was made from; null: it was sent as it stands. */
  readonly origin: RunOrigin | null;
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

/**
 * Stores a submission as a WAITING run that is due at once, with the chain of its plan. Submitting twice is submitting once
 * (design rule 8). The answer to a new one shows no chain yet.
 */
export async function insertSubmission(sql: Sql, submission: Submission): Promise<SubmissionOutcome> {
  const { runId, repository, idempotencyKey, request, origin, traceparent } = submission;
  const received = origin?.request ?? request;
  const [created] = await sql.query<RawRun>(
    `with runs as (
       insert into runs (id, state, repository, idempotency_key, request, request_digest, suite, next_at, traceparent, origin)
       values ($1, 'WAITING', $2, $3, $4, $5, $6, now(), $7, $8)
       on conflict (repository, idempotency_key) do nothing
       returning *
     ),
     noted as (insert into events (run_id, type) select id, 'run.submitted' from runs),
     linked as (
       insert into chains (run_id, position, suite, suite_limit, instance_id)
       select runs.id, link.at - 1, link.step ->> 'suite', (link.step ->> 'limit')::int, link.step ->> 'instanceId'
       from runs cross join jsonb_array_elements($9::jsonb) with ordinality as link (step, at)
     )
     select ${RUN_COLUMNS} from runs`,
    [
      runId,
      repository,
      idempotencyKey,
      JSON.stringify(request),
      requestDigest(received),
      request.suite,
      traceparent,
      origin === null ? null : JSON.stringify(origin),
      JSON.stringify(origin?.plan.chain ?? []),
    ],
  );
  if (created !== undefined) return { answer: 'accepted', run: runRow(created), deduplicated: false };
  const earlier = await findSubmission(sql, { repository, idempotencyKey, received });
  if (earlier === null) throw new Error(`idempotency key ${idempotencyKey} is taken by a run that is not there`);
  return earlier;
}
