import { WorkKind } from '@assay/contracts';
import type { Sql } from '../database';
import { mayWorkOn } from './may-work-on';

/** What the relay's window of one kind is made of. */
export interface RelayWindow {
  readonly kind: WorkKind;
  /** Slots of the workers of the kind that announced themselves lately. */
  readonly slots: number;
  /** Wake-ups in the stream that nobody has claimed, of runs that somebody may work on now. */
  readonly unleased: number;
  /** Slots that hold work. */
  readonly leased: number;
  /** The outbox has lines of the kind that may be sent by their time. */
  readonly unsent: boolean;
}

/** True when the outbox has lines of a topic that may be sent by their time. */
const unsent = (topic: string): string =>
  `exists (select 1 from outbox where topic = ${topic} and sent_at is null and available_at <= now())`;

/** Whether runs wait to be told of, by their lines `run.submitted`. */
export async function runsUnsent(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ unsent: boolean }>(`select ${unsent("'run.submitted'")} as unsent`);
  return row?.unsent ?? false;
}

/** The windows of all kinds, in one round trip; workers silent for `aliveMs` milliseconds do not count. */
export async function relayWindows(sql: Sql, aliveMs: number): Promise<RelayWindow[]> {
  const rows = await sql.query<Omit<RelayWindow, 'kind'> & { kind: string }>(
    `select k.kind,
       (select coalesce(sum(slots), 0)::int from workers
         where kind = k.kind and last_seen_at > now() - $1 * interval '1 millisecond') as slots,
       (select count(*)::int from work_items w join runs r on r.id = w.run_id
         where w.kind = k.kind and w.state = 'OPEN' and w.published_at is not null and w.lease_until is null
           and not r.paused and ${mayWorkOn('r', 'k.kind', '$1')}) as unleased,
       (select count(*)::int from work_items w
         where w.kind = k.kind and w.state = 'OPEN' and w.lease_until is not null) as leased,
       ${unsent("'work.' || k.kind")} as unsent
     from unnest($2::text[]) as k (kind)`,
    [aliveMs, WorkKind.options],
  );
  return rows.map((row) => ({ ...row, kind: WorkKind.parse(row.kind) }));
}
