import type { NotificationTarget } from '@assay/contracts';
import { NOTIFICATION_LASTS_MS } from '@assay/lifecycle';
import type { Sql } from '../database';
import { notificationBody, type NoticeRow } from './notification-body';

const AT_ONCE = 100;

/**
 * Makes a notification of every open notice for each target that wants it, in the caller's transaction. A notice that is
 * older than a notification lasts is closed without. Each notice is planned once, whoever asks at the same moment.
 */
export async function planNotifications(sql: Sql, targets: readonly NotificationTarget[]): Promise<void> {
  const notices = await sql.query<NoticeRow>(
    `with open as (
       select event_id, event from notices where planned_at is null order by event_id, event limit $1
       for update skip locked
     ),
     n as (
       update notices n set planned_at = now() from open
       where n.event_id = open.event_id and n.event = open.event returning n.*
     )
     select n.event_id, n.event, n.at, n.at < now() - $2 * interval '1 millisecond' as expired, n.run_id, r.state,
       r.publication_state, r.suite, r.request, r.evaluated_commit, r.result, r.failure, r.last_error,
       (select reason from publications p where p.run_id = r.id) as publication_reason
     from n join runs r on r.id = n.run_id order by n.event_id, n.event`,
    [AT_ONCE, NOTIFICATION_LASTS_MS],
  );
  const bodies = notices
    .filter(({ expired }) => !expired)
    .flatMap((notice) =>
      targets
        .filter(({ events }) => events.some((event) => event === notice.event))
        .map(({ name }) => ({ target: name, body: notificationBody(notice, name) })),
    );
  if (bodies.length === 0) return;
  await sql.query(
    `insert into notifications (id, run_id, event, target, body, at)
     select body ->> 'id', body #>> '{run,id}', body ->> 'event', target, body, (body ->> 'at')::timestamptz
     from jsonb_to_recordset($1::jsonb) as given (target text, body jsonb)
     on conflict (id) do nothing`,
    [JSON.stringify(bodies)],
  );
}
