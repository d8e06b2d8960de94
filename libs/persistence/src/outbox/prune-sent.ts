import type { Sql } from '../database';

/**
 * Deletes lines that were sent more than `keptMs` ago, the oldest first and at most `limit`. What was not sent stays,
 * however old. Resolves with how many were deleted.
 */
export async function pruneSent(
  sql: Sql,
  { keptMs, limit }: { readonly keptMs: number; readonly limit: number },
): Promise<number> {
  const rows = await sql.query(
    `delete from outbox where id in (
       select id from outbox where sent_at < now() - $1 * interval '1 millisecond' order by sent_at limit $2
     ) returning 1`,
    [keptMs, limit],
  );
  return rows.length;
}
