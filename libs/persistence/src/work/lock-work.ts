import { InstanceState, WorkerId, type RunState, type WorkKey } from '@assay/contracts';
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
  readonly runIsLocked: boolean;
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
  try_id: string | null;
  try_number: number;
  try_worker: string;
  try_started: boolean;
  try_recorded: boolean;
  try_traceparent: string | null;
}

/** Whether the run's row is locked too: whoever may make an instance terminal must, before anything else. */
export type RunLock = 'with run' | 'without run';

/** Which try of the work is meant: that of an epoch, and of a claim if one is named. */
export interface MeantTry {
  readonly epoch: number;
  readonly claimId?: string;
}

export interface LockedTry {
  readonly locked: LockedWork;
  /** Null when nothing was granted like that. */
  readonly tried: StoredTry | null;
}

/**
 * Locks in the order that every verb keeps: run, instance, work item, try; so no two of them can wait for each other. A
 * run locked here is the one place where "was this the last instance?" has a certain answer, and one result at a time has
 * it. Null when there is no such work.
 */
export async function lockWork(
  sql: Sql,
  key: WorkKey,
  { epoch, claimId }: MeantTry,
  runLock: RunLock = 'with run',
): Promise<LockedTry | null> {
  const [row] = await sql.query<Row>(
    `with r as (
       select id, state, manifest_digest, traceparent from runs where id = $2
       ${runLock === 'with run' ? 'for no key update' : ''}
     ),
     i as (
       select i.state, i.traceparent from instances i, r
       where i.run_id = r.id and i.instance_id = $3 and i.sample = $4 for no key update of i
     ),
     w as (
       select w.* from work_items w, (select count(*) from r) as after_run, (select count(*) from i) as after_instance
       where ${IS_KEY} for no key update of w
     ),
     t as (
       select t.* from ${TRIES_TABLE[key.kind]} t, w
       where t.run_id = w.run_id and t.instance_id = w.instance_id and t.sample = w.sample
         and t.epoch = $5 and t.claim_id = coalesce($6, t.claim_id)
       for no key update of t
     )
     select r.state as run_state, r.manifest_digest, i.state as instance_state,
       coalesce(i.traceparent, r.traceparent) as root_traceparent,
       w.state = 'OPEN' as open, w.epoch, w.claim_id, w.lease_until is not null as leased,
       coalesce(w.lease_until <= now(), false) as lapsed, w.expired, w.tries, w.test_timeouts,
       t.id as try_id, t.number as try_number, t.worker as try_worker, t.started_at is not null as try_started,
       t.outcome is not null as try_recorded, t.traceparent as try_traceparent
     from r cross join w left join i on true left join t on true`,
    [...keyParameters(key), epoch, claimId ?? null],
  );
  return row === undefined ? null : { locked: lockedOf(key, row, runLock), tried: triedOf(row) };
}

function lockedOf(key: WorkKey, row: Row, runLock: RunLock): LockedWork {
  return {
    key,
    runIsLocked: runLock === 'with run',
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

function triedOf(row: Row): StoredTry | null {
  if (row.try_id === null) return null;
  return {
    id: row.try_id,
    number: row.try_number,
    worker: WorkerId.parse(row.try_worker),
    started: row.try_started,
    recorded: row.try_recorded,
    traceparent: row.try_traceparent,
  };
}
