import type { Database } from '../database';

/**
 * Deletes the oldest calls that were more than `keptDays` ago (at least one), at most `limit`. Resolves with how many.
 */
export function pruneAudit(
  database: Pick<Database, 'transaction'>,
  { keptDays, limit }: { readonly keptDays: number; readonly limit: number },
): Promise<number> {
  return database.transaction(async (sql) => {
    await sql.query(`select set_config('assay.prunes_audit_log', 'yes', true)`);
    const rows = await sql.query(
      `delete from audit_log where id in (
         select id from audit_log where at < now() - greatest($1::integer, 1) * interval '1 day' order by at limit $2
       ) returning 1`,
      [keptDays, limit],
    );
    return rows.length;
  });
}
