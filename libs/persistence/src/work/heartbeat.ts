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
export type HeartbeatOutcome = HeartbeatReply & { readonly started: boolean };

/**
 * Extends the lease by `leaseMs` while (epoch, claimId) holds it, also when it has lapsed but nobody expired it. The
 * first accepted heartbeat makes the try STARTED and counts it. The phase becomes the instance's state. One statement:
 * the instance's row is locked before the work item's, as everywhere.
 */
export async function heartbeat(
  sql: Sql,
  request: HeartbeatRequest,
  { leaseMs }: { leaseMs: number },
): Promise<HeartbeatOutcome> {
  const state = instanceState(request);
  const [row] = await sql.query<{ lease_until: Date; started: boolean; budget: RunBudget | null }>(
    statement(request, state),
    [...keyParameters(request.key), request.epoch, request.claimId, leaseMs, ...(state === null ? [] : [state])],
  );
  if (row === undefined) return { answer: 'lost', reason: 'the lease is no longer yours', started: false };
  const held = { deadline: row.lease_until.toISOString(), started: row.started };
  const { budget } = row;
  return budget === null ? { answer: 'ok', ...held } : { answer: 'spent', budget, ...held };
}

function statement({ key }: HeartbeatRequest, state: InstanceState | null): string {
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
  return `with locked as (${lock}),
    seen as (
      select w.attempt_id from work_items w, locked
      where ${IS_KEY} and w.state = 'OPEN' and w.epoch = $5 and w.claim_id = $6
        and w.lease_until is not null and not w.expired
      for no key update of w
    ),
    started as (
      update ${TRIES_TABLE[key.kind]} t set state = 'STARTED', started_at = now() from seen
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
    )${instance}
    select lease_until, exists (select 1 from started) as started,
      ${key.kind === 'trial' ? '(select budget_reached from runs where id = $2)' : 'null'} as budget
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
