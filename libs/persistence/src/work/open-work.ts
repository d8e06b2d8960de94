import type { WorkKey } from '@assay/contracts';
import type { Sql } from '../database';
import { queueWork } from './queue-work';
import type { WorkProtocol } from './work-protocol';
import { keyParameters } from './work-rows';

/** Opens work of a kind that had none yet (a grade after its trial, a publication after its run) and queues its wake-up. */
export async function openWork(
  sql: Sql,
  key: WorkKey,
  traceparent: string | null,
  { names }: Pick<WorkProtocol, 'names'>,
): Promise<void> {
  await sql.query(
    `insert into work_items (kind, run_id, instance_id, sample, traceparent) values ($1, $2, $3, $4, $5)
     on conflict (kind, run_id, instance_id, sample) do update set state = 'OPEN', claim_id = null, worker = null,
       attempt_id = null, lease_until = null, expired = false, tries = 0, test_timeouts = 0, wants_idle = false,
       run_at = now(), published_at = null, refused_since = null, repairs = 0`,
    [...keyParameters(key), traceparent],
  );
  await queueWork(sql, names, [{ key, traceparent }]);
}

/** Nothing more is to be done for this piece of work. */
export async function closeWork(sql: Sql, key: WorkKey): Promise<void> {
  await sql.query(
    `update work_items set state = 'DONE', lease_until = null, expired = false, published_at = null
     where kind = $1 and run_id = $2 and instance_id = $3 and sample = $4`,
    keyParameters(key),
  );
}

export interface Postponed {
  readonly delayMs: number;
  /** Added to the tries that counted: 1 for one whose heartbeats were never accepted, -1 for one that shall not count. */
  readonly addTries?: number;
  readonly wantsIdle?: boolean;
  readonly testTimeout?: boolean;
  /** The lease ran out: its own result may still close the try, so the fence stays. */
  readonly expired?: boolean;
}

/**
 * The worker of the try before acknowledges its message after it was answered; a wake-up sent before that would be refused
 * as still stored and then be gone.
 */
const ACK_TRAVELS_MS = 250;

/** Makes open work due again after a wait, and queues the wake-up for then. */
export async function postponeWork(
  sql: Sql,
  key: WorkKey,
  { delayMs, addTries = 0, wantsIdle = false, testTimeout = false, expired = false }: Postponed,
  traceparent: string | null,
  { names }: Pick<WorkProtocol, 'names'>,
): Promise<void> {
  await sql.query(
    `update work_items set lease_until = null, expired = $6, run_at = now() + $5 * interval '1 millisecond',
       published_at = null, refused_since = null, tries = tries + $7, test_timeouts = test_timeouts + $8,
       wants_idle = $9, claim_id = case when $6 then claim_id end
     where kind = $1 and run_id = $2 and instance_id = $3 and sample = $4`,
    [...keyParameters(key), delayMs, expired, addTries, testTimeout ? 1 : 0, wantsIdle],
  );
  await queueWork(sql, names, [{ key, traceparent }], Math.max(delayMs, ACK_TRAVELS_MS));
}
