import { WorkKey, type WorkKind } from '@assay/contracts';
import type { Sql } from '../database';
import { mayWorkOn } from './may-work-on';
import { keyParameters } from './work-rows';

/** Work that is due, unleased, and has no wake-up waiting in the outbox. */
export interface DueWork {
  readonly key: WorkKey;
  readonly traceparent: string | null;
  /** How long the stream has said that a wake-up is still stored. Milliseconds; null: it has not. */
  readonly refusedMs: number | null;
  /** What was tried already to make it be delivered: 0 nothing, 1 its message was laid anew, 2 its consumer. */
  readonly repairs: number;
}

/**
 * Due work of a kind whose wake-up was sent more than `quietMs` ago (or never) and that a worker heard of within `aliveMs`
 * may have, the longest due first.
 */
export async function dueWork(
  sql: Sql,
  kind: WorkKind,
  { quietMs, aliveMs, limit }: { quietMs: number; aliveMs: number; limit: number },
): Promise<DueWork[]> {
  const rows = await sql.query<{
    run_id: string;
    instance_id: string;
    sample: number;
    traceparent: string | null;
    refused_ms: number | null;
    repairs: number;
  }>(
    `select w.run_id, w.instance_id, w.sample, w.traceparent, w.repairs,
       extract(epoch from now() - w.refused_since)::float * 1000 as refused_ms
     from work_items w join runs r on r.id = w.run_id
     where w.kind = $1 and w.state = 'OPEN' and w.lease_until is null and not r.paused
       and ${mayWorkOn('r', '$1', '$4')}
       and w.run_at <= now() - $2 * interval '1 millisecond'
       and (w.published_at is null or w.published_at <= now() - $2 * interval '1 millisecond')
       and not exists (
         select 1 from outbox o where o.run_id = w.run_id and o.sent_at is null and o.topic = 'work.' || w.kind
           and o.payload -> 'key' ->> 'instanceId' = w.instance_id
           and (o.payload -> 'key' ->> 'sample')::int = w.sample)
     order by w.run_at limit $3`,
    [kind, quietMs, limit, aliveMs],
  );
  return rows.map((row) => ({
    key: WorkKey.parse({ kind, runId: row.run_id, instanceId: row.instance_id, sample: row.sample }),
    traceparent: row.traceparent,
    refusedMs: row.refused_ms,
    repairs: row.repairs,
  }));
}

/** Notes what the stream said of a wake-up that was published again, and what was done to have it delivered. */
export async function notePublished(
  sql: Sql,
  key: WorkKey,
  { stored, repairs }: { stored: boolean; repairs: number },
): Promise<void> {
  await sql.query(
    `update work_items set published_at = now(), repairs = $6,
       refused_since = case when $5 then null when repairs <> $6 then now() else coalesce(refused_since, now()) end
     where kind = $1 and run_id = $2 and instance_id = $3 and sample = $4 and state = 'OPEN' and lease_until is null`,
    [...keyParameters(key), stored, repairs],
  );
}

/**
 * Notes that the relay has sent wake-ups: they stand in the stream, unleased, until a worker claims. Rows that somebody
 * holds are left alone: a claim or a cancel is on its way, and whoever waits here could be waited for.
 */
export async function noteSent(sql: Sql, keys: readonly WorkKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql.query(
    `with free as (
       select w.kind, w.run_id, w.instance_id, w.sample from work_items w
       join jsonb_to_recordset($1::jsonb) as sent (kind text, "runId" text, "instanceId" text, sample int)
         on w.kind = sent.kind and w.run_id = sent."runId" and w.instance_id = sent."instanceId" and w.sample = sent.sample
       where w.state = 'OPEN' and w.lease_until is null
       for no key update of w skip locked
     )
     update work_items w set published_at = now() from free
     where w.kind = free.kind and w.run_id = free.run_id and w.instance_id = free.instance_id and w.sample = free.sample`,
    [JSON.stringify(keys)],
  );
}

/**
 * Forgets that wake-ups were published: the stream that held them was lost. Rows that somebody holds are left alone, as in
 * `noteSent`. Resolves with how many were forgotten.
 */
export async function forgetPublished(sql: Sql): Promise<number> {
  const rows = await sql.query(
    `with free as (
       select kind, run_id, instance_id, sample from work_items
       where state = 'OPEN' and published_at is not null for no key update skip locked
     )
     update work_items w set published_at = null, refused_since = null, repairs = 0 from free
     where w.kind = free.kind and w.run_id = free.run_id and w.instance_id = free.instance_id and w.sample = free.sample
     returning 1`,
  );
  return rows.length;
}
