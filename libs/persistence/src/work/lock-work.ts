import { InstanceState, WorkerId, type ArtifactRef, type RunState, type WorkKey } from '@assay/contracts';
import type { Sql } from '../database';
import { IS_KEY, keyParameters, TRIES_TABLE } from './work-rows';

/** A try of the work as it is stored. */
export interface StoredTry {
  readonly id: string;
  readonly number: number;
  readonly worker: WorkerId;
  /** One of its heartbeats was accepted: from then on it counts. */
  readonly started: boolean;
  /** A result of it was recorded. */
  readonly recorded: boolean;
  readonly traceparent: string | null;
}

/** Run, instance and work item of one key, locked until the transaction ends. */
export interface LockedWork {
  readonly key: WorkKey;
  readonly runState: RunState;
  readonly manifestDigest: string;
  /** Null for a publication. */
  readonly instanceState: InstanceState | null;
  readonly rootTraceparent: string | null;
  readonly open: boolean;
  readonly epoch: number;
  readonly claimId: string | null;
  readonly leased: boolean;
  readonly lapsed: boolean;
  readonly expired: boolean;
  /** Tries that counted. */
  readonly tries: number;
  readonly testTimeouts: number;
}

interface Row {
  run_state: RunState;
  manifest_digest: string | null;
  instance_state: string | null;
  root_traceparent: string | null;
  open: boolean;
  epoch: number;
  claim_id: string | null;
  leased: boolean;
  lapsed: boolean;
  expired: boolean;
  tries: number;
  test_timeouts: number;
}

/**
 * Locks in the order that every verb keeps: run, instance, work item; so no two of them can wait for each other. A run
 * locked here is the one place where "was this the last instance?" has a certain answer. Null when there is no such work.
 */
export async function lockWork(sql: Sql, key: WorkKey): Promise<LockedWork | null> {
  const [row] = await sql.query<Row>(
    `with r as (select id, state, manifest_digest, traceparent from runs where id = $2 for no key update),
     i as (
       select i.state, i.traceparent from instances i, r
       where i.run_id = r.id and i.instance_id = $3 and i.sample = $4 for no key update of i
     ),
     w as (
       select w.* from work_items w, (select count(*) from i) as after_instance
       where ${IS_KEY} for no key update of w
     )
     select r.state as run_state, r.manifest_digest, i.state as instance_state,
       coalesce(i.traceparent, r.traceparent) as root_traceparent,
       w.state = 'OPEN' as open, w.epoch, w.claim_id, w.lease_until is not null as leased,
       coalesce(w.lease_until <= now(), false) as lapsed, w.expired, w.tries, w.test_timeouts
     from r cross join w left join i on true`,
    keyParameters(key),
  );
  if (row === undefined) return null;
  return {
    key,
    runState: row.run_state,
    manifestDigest: row.manifest_digest ?? '',
    instanceState: row.instance_state === null ? null : InstanceState.parse(row.instance_state),
    rootTraceparent: row.root_traceparent,
    open: row.open,
    epoch: row.epoch,
    claimId: row.claim_id,
    leased: row.leased,
    lapsed: row.lapsed,
    expired: row.expired,
    tries: row.tries,
    testTimeouts: row.test_timeouts,
  };
}

/** The try that was granted under this epoch, and to this claim if one is named. Null when there was none. */
export async function tryOfEpoch(
  sql: Sql,
  key: WorkKey,
  { epoch, claimId }: { epoch: number; claimId?: string },
): Promise<StoredTry | null> {
  const [row] = await sql.query<Omit<StoredTry, 'worker'> & { worker: string }>(
    `select id, number, worker, started_at is not null as started, outcome is not null as recorded, traceparent
     from ${TRIES_TABLE[key.kind]}
     where run_id = $1 and instance_id = $2 and sample = $3 and epoch = $4 and claim_id = coalesce($5, claim_id)`,
    [key.runId, key.instanceId, key.sample, epoch, claimId ?? null],
  );
  return row === undefined ? null : { ...row, worker: WorkerId.parse(row.worker) };
}

/** What a result left in the store, as rows beside its try. */
export async function insertArtifacts(
  sql: Sql,
  key: WorkKey,
  tryId: string,
  artifacts: readonly ArtifactRef[],
): Promise<void> {
  if (artifacts.length === 0) return;
  const owner = { trial: 'attempt_id', grade: 'grade_id', publication: null }[key.kind];
  await sql.query(
    `insert into artifacts (run_id, instance_id, sample, name, digest, size, media_type${owner === null ? '' : `, ${owner}`})
     select $1, $2, $3, name, digest, size, "mediaType"${owner === null ? '' : ', $5::uuid'}
     from jsonb_to_recordset($4::jsonb) as artifact (name text, digest text, size bigint, "mediaType" text)
     on conflict do nothing`,
    [key.runId, key.instanceId, key.sample, JSON.stringify(artifacts), ...(owner === null ? [] : [tryId])],
  );
}
