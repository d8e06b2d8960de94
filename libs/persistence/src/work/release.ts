import type { ReleaseReply, ReleaseRequest } from '@assay/contracts';
import type { Sql } from '../database';
import { IS_KEY, keyParameters, TRIES_TABLE } from './work-rows';

/**
 * Gives work back: queued again at once, the try RELEASED and not counted, the epoch one higher. Its message stays in
 * the stream (the worker naks it). A release that was accepted before is accepted again.
 */
export async function release(sql: Sql, { key, epoch, claimId }: ReleaseRequest): Promise<ReleaseReply> {
  const tries = TRIES_TABLE[key.kind];
  const lock =
    key.kind === 'publication'
      ? 'select 1'
      : 'select 1 from instances where run_id = $2 and instance_id = $3 and sample = $4 for no key update';
  const instance =
    key.kind !== 'trial'
      ? ''
      : `, shown as (
           update instances set state = 'QUEUED', attempts = attempts - given_back.counted from given_back
           where run_id = $2 and instance_id = $3 and sample = $4
         )`;
  const rows = await sql.query(
    `with locked as (${lock}),
     seen as (
       select w.attempt_id from work_items w, locked
       where ${IS_KEY} and w.state = 'OPEN' and w.epoch = $5 and w.claim_id = $6
         and w.lease_until is not null and not w.expired
       for no key update of w
     ),
     given_back as (
       update ${tries} t set state = 'RELEASED', finished_at = now() from seen
       where t.id = seen.attempt_id returning (t.started_at is not null)::int as counted
     ),
     w as (
       update work_items w set epoch = w.epoch + 1, claim_id = null, worker = null, attempt_id = null,
         lease_until = null, run_at = now(), published_at = now(), tries = w.tries - given_back.counted
       from given_back where ${IS_KEY} returning 1
     ),
     noted as (
       insert into events (run_id, instance_id, sample, type, data)
       select $2, $3, $4, $1 || '.released', jsonb_build_object('epoch', $5::int) from given_back
     )${instance}
     select 1 from w
     union all
     select 1 from ${tries} where run_id = $2 and instance_id = $3 and sample = $4 and epoch = $5 and claim_id = $6
       and state = 'RELEASED'`,
    [...keyParameters(key), epoch, claimId],
  );
  return rows.length > 0 ? { answer: 'ok' } : { answer: 'lost', reason: 'the lease is no longer yours' };
}
