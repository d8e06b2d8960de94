import {
  ChainLink,
  Digest,
  PublicationState,
  RunFailure,
  RunId,
  RunOrigin,
  RunResult,
  RunState,
  SubmitRequest,
} from '@assay/contracts';
import { CHAIN, CHAIN_OF } from '../chain/chain-row';

/** A run as the database has it, without its manifest (which may be large). */
export interface RunRow {
  readonly id: RunId;
  readonly state: RunState;
  readonly publicationState: PublicationState;
  /** The authenticated repository, or empty: what idempotency keys are unique within. */
  readonly repository: string;
  readonly idempotencyKey: string;
  readonly request: SubmitRequest;
  /** Of the body as it was received. */
  readonly requestDigest: string;
  /** Null for a run that was described by its caller, not made from a release. */
  readonly origin: RunOrigin | null;
  /** What the evaluated ref was resolved to; null: not yet. */
  readonly evaluatedCommit: string | null;
  /** Null while WAITING. */
  readonly packageVersion: string | null;
  /** Seconds since its package was first looked for in vain; null: it never was. */
  readonly packageWaitSeconds: number | null;
  readonly suite: string;
  /** Null while WAITING, as the next. */
  readonly manifestDigest: string | null;
  /** The frozen agent's name. */
  readonly agent: string | null;
  readonly paused: boolean;
  readonly pollTries: number;
  readonly nextAt: Date | null;
  readonly lastError: string | null;
  /** Why it FAILED before it was frozen. */
  readonly failure: RunFailure | null;
  /**
   * When somebody could last serve it: for each kind of its open work the last word of a worker of the frozen build, the
   * earliest of these; at least when it was queued. Null for a run that is not QUEUED or RUNNING.
   */
  readonly servedAt: Date | null;
  /** Why its publication wrote nothing: REFUSED and DRY_RUN. */
  readonly publicationReason: string | null;
  /** When a publication that waits is due again. */
  readonly publicationRetryAt: Date | null;
  /** The artifact with what a DRY_RUN would have changed. */
  readonly publicationDifference: Digest | null;
  readonly result: RunResult | null;
  /** What follows it on the same release. */
  readonly chain: readonly ChainLink[];
  /** The run whose chain started this one. */
  readonly chainOf: RunId | null;
  readonly traceparent: string | null;
  readonly createdAt: Date;
  readonly queuedAt: Date | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** SQL of `servedAt`, over the table `runs` under its own name. */
export const SERVED_AT = `case when runs.state in ('QUEUED', 'RUNNING') then greatest(runs.queued_at, runs.last_served_at, (
    select min(coalesce(
      (select max(last_seen_at) from workers where kind = k.kind
        and build_digest = coalesce(runs.manifest ->> 'buildDigest', build_digest)),
      runs.queued_at))
    from (values ('trial'), ('grade')) as k (kind)
    where exists (select 1 from work_items w where w.kind = k.kind and w.run_id = runs.id and w.state = 'OPEN')
  )) end`;

/** Columns for `runRow`, of the table under its own name. */
export const RUN_COLUMNS = `runs.id, runs.state, runs.publication_state, runs.repository, runs.idempotency_key,
  runs.request, runs.request_digest, runs.origin, runs.evaluated_commit, runs.package_version,
  extract(epoch from now() - runs.package_since)::float8 as package_wait_seconds, runs.failure,
  runs.suite, runs.manifest_digest, runs.manifest -> 'agent' ->> 'name' as agent,
  runs.paused, runs.poll_tries, runs.next_at, runs.last_error, ${SERVED_AT} as served_at, runs.result,
  (select p.reason from publications p where p.run_id = runs.id) as publication_reason,
  (select w.run_at from work_items w where w.kind = 'publication' and w.run_id = runs.id and w.state = 'OPEN'
    and w.lease_until is null and w.run_at > now()) as publication_retry_at,
  (select p.difference ->> 'digest' from publications p where p.run_id = runs.id) as publication_difference,
  ${CHAIN} as chain, ${CHAIN_OF} as chain_of,
  runs.traceparent, runs.created_at, runs.queued_at, runs.started_at, runs.finished_at`;

/** What `RUN_COLUMNS` answers. */
export interface RawRun {
  id: string;
  state: string;
  publication_state: string;
  repository: string;
  idempotency_key: string;
  request: unknown;
  request_digest: string;
  origin: unknown;
  evaluated_commit: string | null;
  package_version: string | null;
  package_wait_seconds: number | null;
  failure: unknown;
  suite: string;
  manifest_digest: string | null;
  agent: string | null;
  paused: boolean;
  poll_tries: number;
  next_at: Date | null;
  last_error: string | null;
  served_at: Date | null;
  result: unknown;
  publication_reason: string | null;
  publication_retry_at: Date | null;
  publication_difference: string | null;
  chain: unknown[];
  chain_of: string | null;
  traceparent: string | null;
  created_at: Date;
  queued_at: Date | null;
  started_at: Date | null;
  finished_at: Date | null;
}

export function runRow(raw: RawRun): RunRow {
  return {
    id: RunId.parse(raw.id),
    state: RunState.parse(raw.state),
    publicationState: PublicationState.parse(raw.publication_state),
    repository: raw.repository,
    idempotencyKey: raw.idempotency_key,
    request: SubmitRequest.parse(raw.request),
    requestDigest: raw.request_digest,
    origin: raw.origin === null ? null : RunOrigin.parse(raw.origin),
    evaluatedCommit: raw.evaluated_commit,
    packageVersion: raw.package_version,
    packageWaitSeconds: raw.package_wait_seconds,
    suite: raw.suite,
    manifestDigest: raw.manifest_digest,
    agent: raw.agent,
    paused: raw.paused,
    pollTries: raw.poll_tries,
    nextAt: raw.next_at,
    lastError: raw.last_error,
    failure: raw.failure === null ? null : RunFailure.parse(raw.failure),
    servedAt: raw.served_at,
    publicationReason: raw.publication_reason,
    publicationRetryAt: raw.publication_retry_at,
    publicationDifference: raw.publication_difference === null ? null : Digest.parse(raw.publication_difference),
    result: raw.result === null ? null : RunResult.parse(raw.result),
    chain: raw.chain.map((link) => ChainLink.parse(link)),
    chainOf: raw.chain_of === null ? null : RunId.parse(raw.chain_of),
    traceparent: raw.traceparent,
    createdAt: raw.created_at,
    queuedAt: raw.queued_at,
    startedAt: raw.started_at,
    finishedAt: raw.finished_at,
  };
}
