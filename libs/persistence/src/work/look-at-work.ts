import { AttemptId, type ArtifactRef, type ClaimRequest } from '@assay/contracts';
import type { Sql } from '../database';
import { IS_KEY, keyParameters, TRIES_TABLE } from './work-rows';

/** One piece of work as a claim sees it, without a lock: the grant checks again. */
export interface SeenWork {
  readonly open: boolean;
  readonly epoch: number;
  readonly claimId: string | null;
  readonly leaseUntil: Date | null;
  /** Milliseconds until the lease lapses, plus up to a tenth so that those who wait do not return at once. */
  readonly leaseLeftMs: number;
  readonly lapsed: boolean;
  readonly expired: boolean;
  /** Not due yet. */
  readonly early: boolean;
  readonly wantsIdle: boolean;
  /** Tries that counted. */
  readonly tries: number;
  readonly paused: boolean;
  /** The run's own budget is used up. */
  readonly spent: boolean;
  readonly runQueued: boolean;
  readonly manifestDigest: string;
  /** The same claim was granted at some time. */
  readonly grantedBefore: boolean;
  /** The try of the current epoch. */
  readonly holder: { attemptId: AttemptId; attempt: number; traceparent: string | null } | null;
  /** The instance's dispatch span, or the run's for a publication. */
  readonly rootTraceparent: string | null;
  /** The try before this one. */
  readonly previousTraceparent: string | null;
  /** For a grade: the attempt whose patch is graded. */
  readonly trial: { attemptId: AttemptId; patch: ArtifactRef | null; imageId: string | null } | null;
}

interface Row {
  open: boolean;
  epoch: number;
  claim_id: string | null;
  lease_until: Date | null;
  lease_left_ms: number | null;
  lapsed: boolean | null;
  expired: boolean;
  early: boolean;
  wants_idle: boolean;
  tries: number;
  paused: boolean;
  spent: boolean;
  run_queued: boolean;
  manifest_digest: string | null;
  granted_before: boolean;
  held_by: string | null;
  held_number: number | null;
  held_traceparent: string | null;
  root_traceparent: string | null;
  previous_traceparent: string | null;
  trial_attempt_id: string | null;
  patch: ArtifactRef | null;
  image_id: string | null;
}

/** Reads what a claim must know in one round trip; null when there is no such work. */
export async function lookAtWork(sql: Sql, { key, claimId }: ClaimRequest): Promise<SeenWork | null> {
  const tries = TRIES_TABLE[key.kind];
  const ofInstance = 'run_id = w.run_id and instance_id = w.instance_id and sample = w.sample';
  const [row] = await sql.query<Row>(
    `select w.state = 'OPEN' as open, w.epoch, w.claim_id, w.lease_until, w.expired, w.tries, w.wants_idle,
       ceil(extract(epoch from w.lease_until - now()) * 1000 * (1 + random() / 10))::int as lease_left_ms,
       w.lease_until <= now() as lapsed, w.run_at > now() as early,
       r.paused, r.budget_reached is not null as spent, r.state = 'QUEUED' as run_queued, r.manifest_digest,
       coalesce(i.traceparent, r.traceparent) as root_traceparent,
       exists (select 1 from ${tries} where ${ofInstance} and claim_id = $5) as granted_before,
       holder.id as held_by, holder.number as held_number, holder.traceparent as held_traceparent,
       (select traceparent from ${tries} where ${ofInstance} order by epoch desc limit 1) as previous_traceparent,
       trial.id as trial_attempt_id, trial.outcome -> 'patch' as patch, trial.image_id
     from work_items w
     join runs r on r.id = w.run_id
     left join instances i on i.run_id = w.run_id and i.instance_id = w.instance_id and i.sample = w.sample
     left join ${tries} holder on holder.id = w.attempt_id
     left join attempts trial on w.kind = 'grade' and trial.id = i.attempt_id
     where ${IS_KEY}`,
    [...keyParameters(key), claimId],
  );
  return row === undefined ? null : seen(row);
}

function seen(row: Row): SeenWork {
  return {
    open: row.open,
    epoch: row.epoch,
    claimId: row.claim_id,
    leaseUntil: row.lease_until,
    leaseLeftMs: Math.max(0, row.lease_left_ms ?? 0),
    lapsed: row.lapsed ?? false,
    expired: row.expired,
    early: row.early,
    wantsIdle: row.wants_idle,
    tries: row.tries,
    paused: row.paused,
    spent: row.spent,
    runQueued: row.run_queued,
    manifestDigest: row.manifest_digest ?? '',
    grantedBefore: row.granted_before,
    holder:
      row.held_by === null || row.held_number === null
        ? null
        : {
            attemptId: AttemptId.parse(row.held_by),
            attempt: row.held_number,
            traceparent: row.held_traceparent,
          },
    rootTraceparent: row.root_traceparent,
    previousTraceparent: row.previous_traceparent,
    trial:
      row.trial_attempt_id === null
        ? null
        : { attemptId: AttemptId.parse(row.trial_attempt_id), patch: row.patch, imageId: row.image_id },
  };
}
