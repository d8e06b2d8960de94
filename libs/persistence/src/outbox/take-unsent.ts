import { RunId } from '@assay/contracts';
import type { Sql } from '../database';
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

/**
 * The oldest unsent lines of a topic that are available now. They stay locked until the caller's transaction ends, and
 * lines that another relay holds or of paused runs are skipped: call it inside the transaction that also marks them.
 */
export async function takeUnsent(
  sql: Sql,
  { topic, limit }: { readonly topic: string; readonly limit: number },
): Promise<UnsentMessage[]> {
  const rows = await sql.query<Row>(
    `select id, topic, subject, message_id, payload, run_id, traceparent, tries from outbox
     where topic = $1 and sent_at is null and available_at <= now()
       and not exists (select 1 from runs r where r.id = outbox.run_id and r.paused)
     order by id limit $2 for update skip locked`,
    [topic, limit],
  );
  return rows.map(({ message_id, run_id, ...row }) => ({ ...row, messageId: message_id, runId: RunId.parse(run_id) }));
}
