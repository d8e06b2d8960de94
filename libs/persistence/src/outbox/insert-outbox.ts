import type { RunId } from '@assay/contracts';
import type { Sql } from '../database';

/** A message to be sent, written in the transaction of the state that it tells of. */
export interface OutboxMessage {
  /** What kind of message, e.g. `run.submitted`, `work.trial`: the relay takes one topic at a time. */
  readonly topic: string;
  readonly subject: string;
  /** Unique per message: the broker drops a second one of the same id for some minutes. */
  readonly messageId: string;
  readonly payload: unknown;
  readonly runId: RunId;
  /** Trace context of the cause; it becomes the message's header. */
  readonly traceparent: string | null;
}

/** Adds a line to the outbox, which also wakes the relay at commit. Resolves with its id. */
export async function insertOutbox(sql: Sql, message: OutboxMessage): Promise<string> {
  const { topic, subject, messageId, payload, runId, traceparent } = message;
  const [row] = await sql.query<{ id: string }>(
    `insert into outbox (topic, subject, message_id, payload, run_id, traceparent)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    [topic, subject, messageId, JSON.stringify(payload), runId, traceparent],
  );
  if (row === undefined) throw new Error('an insert returned no row');
  return row.id;
}
