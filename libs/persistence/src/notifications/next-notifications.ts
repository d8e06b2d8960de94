import { Notification, type NotificationsNextReply, type NotificationsNextRequest, TargetName } from '@assay/contracts';
import { NOTIFICATION_LASTS_MS } from '@assay/lifecycle';
import type { Sql } from '../database';
import { planNotifications } from './plan-notifications';

/** A slow target holds up the others of its round for one time-out at most: rounds are small. */
const AT_ONCE = 10;

interface DueRow {
  readonly target: string;
  readonly tries: number;
  readonly body: unknown;
}

/**
 * Gives a publisher what is due for its targets, for `leaseMs`, in the caller's transaction. What nobody took for a day is
 * FAILED first, also where no publisher has that target any more.
 */
export async function nextNotifications(
  sql: Sql,
  { claimId, targets }: Pick<NotificationsNextRequest, 'claimId' | 'targets'>,
  { leaseMs }: { readonly leaseMs: number },
): Promise<NotificationsNextReply> {
  await planNotifications(sql, targets);
  await sql.query(
    `update notifications set state = 'FAILED', settled_at = now(), claim_id = null,
       last_error = 'nobody took it within a day' || coalesce('; at last: ' || last_error, '')
     where state = 'PENDING' and next_at <= now() and at < now() - $1 * interval '1 millisecond'`,
    [NOTIFICATION_LASTS_MS],
  );
  const due = await sql.query<DueRow>(
    `update notifications set claim_id = $1, tries = tries + 1, next_at = now() + $2 * interval '1 millisecond'
     where id in (
       select id from notifications where state = 'PENDING' and next_at <= now() and target = any ($3)
       order by next_at, id limit $4 for update skip locked
     )
     returning target, tries, body`,
    [claimId, leaseMs, targets.map(({ name }) => name), AT_ONCE],
  );
  return {
    leaseMs,
    due: due.map(({ target, tries, body }) => ({
      target: TargetName.parse(target),
      tryNumber: tries,
      notification: Notification.parse(body),
    })),
  };
}
