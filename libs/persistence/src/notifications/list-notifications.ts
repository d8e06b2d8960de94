import { NotificationEvent, NotificationState, type NotificationView, type RunId, TargetName } from '@assay/contracts';
import type { Sql } from '../database';

interface Row {
  readonly event: string;
  readonly target: string;
  readonly state: string;
  readonly tries: number;
  readonly last_error: string | null;
  readonly at: Date;
  readonly settled_at: Date | null;
}

/** What was told of a run, or is to be, oldest first. */
export async function listNotifications(sql: Sql, runId: RunId): Promise<NotificationView[]> {
  const rows = await sql.query<Row>(
    `select event, target, state, tries, last_error, at, settled_at from notifications where run_id = $1
     order by at, event, target`,
    [runId],
  );
  return rows.map(({ event, target, state, tries, last_error, at, settled_at }) => ({
    event: NotificationEvent.parse(event),
    target: TargetName.parse(target),
    state: NotificationState.parse(state),
    tries,
    lastError: last_error,
    at: at.toISOString(),
    settledAt: settled_at?.toISOString() ?? null,
  }));
}
