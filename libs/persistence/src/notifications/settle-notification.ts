import {
  type NotificationOutcome,
  type NotificationsSettleReply,
  type NotificationsSettleRequest,
  NotificationState,
  type Timings,
} from '@assay/contracts';
import { notificationRetryMs } from '@assay/lifecycle';
import type { Sql } from '../database';

/**
 * Records what came of one try, if the publisher still has it: SENT, FAILED where its target will never take it, else
 * PENDING until a later time. It must run inside a transaction.
 */
export async function settleNotification(
  sql: Sql,
  { id, claimId, outcome }: NotificationsSettleRequest,
  { sweepMs }: Pick<Timings, 'sweepMs'>,
): Promise<NotificationsSettleReply> {
  const [held] = await sql.query<{ tries: number }>(
    `select tries from notifications where id = $1 and claim_id = $2 and state = 'PENDING' for update`,
    [id, claimId],
  );
  if (held === undefined) return { answer: 'lost' };
  const state = stateAfter(outcome);
  const waitMs = outcome.kind === 'sent' ? 0 : notificationRetryMs(held.tries, sweepMs, outcome.retryAfterMs);
  await sql.query(
    `update notifications set state = $2, claim_id = null, last_error = $3, next_at = now() + $4 * interval '1 millisecond',
       settled_at = case when $2 = 'PENDING' then null else now() end
     where id = $1`,
    [id, state, outcome.kind === 'sent' ? null : outcome.reason, waitMs],
  );
  return { answer: 'recorded', state };
}

function stateAfter(outcome: NotificationOutcome): NotificationState {
  if (outcome.kind === 'sent') return 'SENT';
  return outcome.final ? 'FAILED' : 'PENDING';
}
