import {
  assertNever,
  type HeartbeatReply,
  type HeartbeatRequest,
  type InstanceState,
  type RunBudget,
} from '@assay/contracts';
import type { Sql } from '../database';
import { IS_KEY, keyParameters, TRIES_TABLE } from './work-rows';

/** What came of a heartbeat, and whether it was the try's first. */
export type HeartbeatOutcome = HeartbeatReply & {
  readonly started: boolean;
  /** The work's run has a budget of its own, and the heartbeat told of spending. */
  readonly countsForBudget: boolean;
};

/**
 * Extends the lease by `leaseMs` while (epoch, claimId) holds it, also when it has lapsed but nobody expired it. The
 * first accepted heartbeat makes the try STARTED and counts it. The phase becomes the instance's state; what a trial has spent
 * so far takes the place of what it told before. One statement: the instance's row is locked before the work item's, as everywhere.
 */
export async function heartbeat(
  sql: Sql,
  request: HeartbeatRequest,
  { leaseMs }: { leaseMs: number },
): Promise<HeartbeatOutcome> {
  const state = instanceState(request);
  const { key, epoch, claimId, usage } = request;
  const [row] = await sql.query<HeldRow>(statement(request, state), [
    ...[...keyParameters(key), epoch, claimId, leaseMs],
    ...(state === null ? [] : [state]),
    ...(countsUsage(request) ? [JSON.stringify(usage)] : []),
  ]);
  if (row === undefined) {
    return { answer: 'lost', reason: 'the lease is no longer yours', started: false, countsForBudget: false };
  }
  const { lease_until: until, started, limited } = row;
  const held = { deadline: until.toISOString(), started, countsForBudget: limited && countsUsage(request) };
  const { budget } = row;
  return budget === null ? { answer: 'ok', ...held } : { answer: 'spent', budget, ...held };
}

interface HeldRow {
  readonly lease_until: Date;
  readonly started: boolean;
  readonly budget: RunBudget | null;
  readonly limited: boolean;
}

function countsUsage({ key, usage }: HeartbeatRequest): boolean {
  return key.kind === 'trial' && usage !== null;
}

function statement(request: HeartbeatRequest, state: InstanceState | null): string {
  const { key } = request;
  const lock =
    state === null
      ? 'select 1'
      : 'select 1 from instances where run_id = $2 and instance_id = $3 and sample = $4 for no key update';
  // A first heartbeat counts the try; instances count trials only.
  const instance =
    state === null
      ? ''
      : `, shown as (
           update instances set state = $8, next_try_at = null,
             attempts = attempts + case when $1 = 'trial' then (select count(*) from started)::int else 0 end
           from w
           where run_id = $2 and instance_id = $3 and sample = $4
             and (state <> $8 or (select count(*) from started) > 0)
         )`;
  const counts = countsUsage(request);
  // Beside `started`, which takes the rows that are GRANTED: a row is changed by one of them.
  const spent = counts
    ? `, spent as (
           update attempts t set spent_so_far = $9 from seen where t.id = seen.attempt_id and t.state = 'STARTED'
         )`
    : '';
  return `with locked as (${lock}),
    seen as (
      select w.attempt_id from work_items w, locked
      where ${IS_KEY} and w.state = 'OPEN' and w.epoch = $5 and w.claim_id = $6
        and w.lease_until is not null and not w.expired
      for no key update of w
    ),
    started as (
      update ${TRIES_TABLE[key.kind]} t set state = 'STARTED', started_at = now()${counts ? ', spent_so_far = $9' : ''}
      from seen
      where t.id = seen.attempt_id and t.state = 'GRANTED' returning t.id
    ),
    w as (
      update work_items w set lease_until = now() + $7 * interval '1 millisecond',
        tries = tries + (select count(*) from started)::int
      from seen where ${IS_KEY}
      returning w.lease_until
    ),
    noted as (
      insert into events (run_id, instance_id, sample, type, data)
      select $2, $3, $4, $1 || '.started', jsonb_build_object('epoch', $5::int) from started
    )${instance}${spent}
    select lease_until, exists (select 1 from started) as started,
      ${key.kind === 'trial' ? '(select budget_reached from runs where id = $2)' : 'null'} as budget,
      ${key.kind === 'trial' ? '(select run_limits is not null from runs where id = $2)' : 'false'} as limited
    from w`;
}

/** Null for a publication: it shows in no instance. */
function instanceState({ key, phase }: HeartbeatRequest): InstanceState | null {
  switch (key.kind) {
    case 'publication':
      return null;
    case 'grade':
      return 'GRADING';
    case 'trial':
      return phase === 'PUBLISHING' || phase === 'GRADING' ? 'RUNNING_AGENT' : phase;
    default:
      return assertNever(key.kind);
  }
}
