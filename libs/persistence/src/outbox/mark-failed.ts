import type { Sql } from '../database';

/** Keeps a line that could not be sent, with the reason; it is available again after `delayMs`. */
export async function markFailed(
  sql: Sql,
  { id, error, delayMs }: { readonly id: string; readonly error: string; readonly delayMs: number },
): Promise<void> {
  await sql.query(
    `update outbox set tries = tries + 1, last_error = $2, available_at = now() + $3 * interval '1 millisecond'
     where id = $1 and sent_at is null`,
    [id, error.slice(0, 2000), delayMs],
  );
}
