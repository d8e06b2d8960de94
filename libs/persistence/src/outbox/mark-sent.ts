import type { Sql } from '../database';

/** Marks lines that the broker acknowledged. */
export async function markSent(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query('update outbox set sent_at = now(), last_error = null where id = any ($1::bigint[])', [ids]);
}
