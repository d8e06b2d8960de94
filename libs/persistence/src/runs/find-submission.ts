import { createHash } from 'node:crypto';
import { canonicalJson, type DispatchRequest, type SubmitRequest } from '@assay/contracts';
import type { Sql } from '../database';
import { type RawRun, RUN_COLUMNS, runRow } from './run-row';
import type { SubmissionOutcome } from './insert-submission';

export interface SubmissionKey {
  /** The authenticated repository; empty where there is none. Keys are unique within it. */
  readonly repository: string;
  readonly idempotencyKey: string;
  /** The body as it was sent. */
  readonly received: SubmitRequest | DispatchRequest;
}

/** What submitting this again would answer, or null where nothing has this key. */
export async function findSubmission(sql: Sql, submission: SubmissionKey): Promise<SubmissionOutcome | null> {
  const { repository, idempotencyKey, received } = submission;
  const [earlier] = await sql.query<RawRun>(
    `select ${RUN_COLUMNS} from runs where repository = $1 and idempotency_key = $2`,
    [repository, idempotencyKey],
  );
  if (earlier === undefined) return null;
  const run = runRow(earlier);
  return run.requestDigest === requestDigest(received)
    ? { answer: 'accepted', run, deduplicated: true }
    : { answer: 'conflict', run };
}

/** Sha256 of the body, whatever the order of its keys. */
export function requestDigest(received: SubmissionKey['received']): string {
  return createHash('sha256').update(canonicalJson(received)).digest('hex');
}
