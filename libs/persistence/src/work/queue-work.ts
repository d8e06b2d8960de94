import { randomUUID } from 'node:crypto';
import type { Names, WorkKey, WorkMessage } from '@assay/contracts';
import type { Sql } from '../database';

/** One wake-up to be sent. */
export interface QueuedWork {
  readonly key: WorkKey;
  /** Trace context of what made the work due. */
  readonly traceparent: string | null;
}

/**
 * Writes the outbox lines that wake workers for `works`, all in one statement; the relay may send them `delayMs` from
 * now. Each has a message id of its own: the broker would drop a second one with the same id for some minutes.
 */
export async function queueWork(sql: Sql, names: Names, works: readonly QueuedWork[], delayMs = 0): Promise<void> {
  if (works.length === 0) return;
  const lines = works.map(({ key, traceparent }) => {
    const payload: WorkMessage = { key };
    return {
      topic: `work.${key.kind}`,
      subject: names.work(key),
      message_id: `${key.kind}:${key.runId}:${key.instanceId}:${key.sample}:${randomUUID()}`,
      payload,
      run_id: key.runId,
      traceparent,
    };
  });
  await sql.query(
    `insert into outbox (topic, subject, message_id, payload, run_id, traceparent, available_at)
     select topic, subject, message_id, payload, run_id, traceparent, now() + $2 * interval '1 millisecond'
     from jsonb_to_recordset($1::jsonb)
       as line (topic text, subject text, message_id text, payload jsonb, run_id text, traceparent text)`,
    [JSON.stringify(lines), delayMs],
  );
}
