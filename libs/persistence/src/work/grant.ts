import { randomUUID } from 'node:crypto';
import { AttemptId, type ClaimReply, type ClaimRequest } from '@assay/contracts';
import { ATTRIBUTES, inSpan } from '@assay/telemetry';
import type { Sql } from '../database';
import type { ClaimOptions } from './claim';
import type { SeenWork } from './look-at-work';
import { IS_KEY, keyParameters, TRIES_TABLE, workAttributes } from './work-rows';
import { specOf } from './work-spec';

type Grant = Extract<ClaimReply, { answer: 'granted' }>;

/**
 * Issues the next epoch to the claim, if the work still is as it was seen. The span of the grant is the parent of all
 * that the worker does; it links to the try before. Null when somebody was faster.
 */
export async function grant(
  sql: Sql,
  request: ClaimRequest,
  seen: SeenWork,
  { manifests, timings: { leaseMs } }: ClaimOptions,
): Promise<Grant | null> {
  const { key, worker } = request;
  const spec = await specOf(sql, key, seen, manifests);
  if (seen.runQueued) await startRun(sql, key.runId);
  const options = {
    parent: seen.rootTraceparent,
    links: seen.previousTraceparent === null ? [] : [seen.previousTraceparent],
    attributes: { ...workAttributes(key), [ATTRIBUTES.worker]: worker },
  };
  return inSpan(`claim ${key.kind}`, options, async (span) => {
    const attemptId = AttemptId.parse(randomUUID());
    const row = await issue(sql, request, seen, {
      attemptId,
      leaseMs,
      traceparent: span.traceparent,
      grade: spec.kind === 'grade' ? [seen.trial?.attemptId ?? null, spec.grader.version] : null,
    });
    if (row === undefined) return null;
    span.setAttribute(ATTRIBUTES.epoch, row.epoch);
    span.setAttribute(ATTRIBUTES.attempt, row.number);
    return {
      answer: 'granted',
      epoch: row.epoch,
      attempt: row.number,
      attemptId,
      spec,
      deadline: row.lease_until.toISOString(),
      leaseMs,
      traceparent: span.traceparent,
    };
  });
}

/** Lock order everywhere: run, instance, work item. */
async function startRun(sql: Sql, runId: string): Promise<void> {
  await sql.query(
    `update runs set state = 'RUNNING', started_at = now(), last_served_at = now() where id = $1 and state = 'QUEUED'`,
    [runId],
  );
}

interface Opening {
  readonly attemptId: AttemptId;
  readonly leaseMs: number;
  readonly traceparent: string;
  /** What only a grade's row has: whose patch, and by which grader. */
  readonly grade: readonly [trialAttempt: string | null, graderVersion: string] | null;
}

async function issue(sql: Sql, { key, claimId, worker, buildDigest }: ClaimRequest, seen: SeenWork, opening: Opening) {
  const { attemptId, leaseMs, traceparent, grade } = opening;
  const lock =
    key.kind === 'publication'
      ? 'select 1'
      : 'select 1 from instances where run_id = $2 and instance_id = $3 and sample = $4 for no key update';
  const [row] = await sql.query<{ epoch: number; number: number; lease_until: Date }>(
    `with locked as (${lock}),
     w as (
       update work_items w set epoch = w.epoch + 1, claim_id = $5, worker = $6, attempt_id = $8, expired = false,
         lease_until = now() + $9 * interval '1 millisecond', published_at = null, refused_since = null, repairs = 0
       from locked
       where ${IS_KEY} and w.state = 'OPEN' and w.lease_until is null and w.run_at <= now() and w.epoch = $11
       returning w.*
     ),
     opened as (
       insert into ${TRIES_TABLE[key.kind]} (id, run_id, instance_id, sample, number, epoch, claim_id, worker,
         build_digest, state, traceparent${grade === null ? '' : ', attempt_id, grader_version'})
       select $8, w.run_id, w.instance_id, w.sample, w.tries + 1, w.epoch, $5, $6, $7, 'GRANTED',
         $10${grade === null ? '' : ', $12::uuid, $13'} from w
     ),
     noted as (
       insert into events (run_id, instance_id, sample, type, data)
       select w.run_id, w.instance_id, w.sample, w.kind || '.granted',
         jsonb_build_object('epoch', w.epoch, 'number', w.tries + 1, 'worker', w.worker)
       from w
     )
     select epoch, tries + 1 as number, lease_until from w`,
    [
      ...keyParameters(key),
      claimId,
      worker,
      buildDigest,
      attemptId,
      leaseMs,
      traceparent,
      seen.epoch,
      ...(grade ?? []),
    ],
  );
  return row;
}
