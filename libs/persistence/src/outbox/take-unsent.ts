import { RunId, type WorkKind } from '@assay/contracts';
import type { Sql } from '../database';
import { mayWorkOn } from '../work/may-work-on';
import type { OutboxMessage } from './insert-outbox';

export interface UnsentMessage extends OutboxMessage {
  readonly id: string;
  /** Failed tries so far. */
  readonly tries: number;
}

interface Row {
  id: string;
  topic: string;
  subject: string;
  message_id: string;
  payload: unknown;
  run_id: string;
  traceparent: string | null;
  tries: number;
}

export interface Taking {
  readonly topic: string;
  readonly limit: number;
  /** Only lines of runs that a worker of this kind may work on, which was heard of within `aliveMs`. */
  readonly workers?: { readonly kind: WorkKind; readonly aliveMs: number };
}

/**
 * The oldest unsent lines of a topic that are available now. They stay locked until the caller's transaction ends, and
 * lines that another relay holds or of paused runs are skipped: call it inside the transaction that also marks them.
 */
export async function takeUnsent(sql: Sql, { topic, limit, workers }: Taking): Promise<UnsentMessage[]> {
  const served = workers === undefined ? '' : ` and ${mayWorkOn('r', '$3', '$4')}`;
  const rows = await sql.query<Row>(
    `select id, topic, subject, message_id, payload, run_id, traceparent, tries from outbox
     where topic = $1 and sent_at is null and available_at <= now()
       and exists (select 1 from runs r where r.id = outbox.run_id and not r.paused${served})
     order by id limit $2 for update skip locked`,
    [topic, limit, ...(workers === undefined ? [] : [workers.kind, workers.aliveMs])],
  );
  return rows.map(({ message_id, run_id, ...row }) => ({ ...row, messageId: message_id, runId: RunId.parse(run_id) }));
}
