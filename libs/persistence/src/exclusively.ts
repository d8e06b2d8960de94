import type { Database } from './database';

/**
 * Runs `work` while no other process of this deployment does so under the same name; resolves null without running it
 * when one does. The lock is a transaction's advisory lock, so it ends with the connection whatever happens to us.
 */
export async function exclusively<T>(database: Database, name: string, work: () => Promise<T>): Promise<T | null> {
  return database.transaction(async (sql) => {
    const [lock] = await sql.query<{ held: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' ' || $1, 0)) as held`,
      [name],
    );
    return lock?.held === true ? work() : null;
  });
}
