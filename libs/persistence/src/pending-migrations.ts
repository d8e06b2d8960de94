import type { Sql } from './database';
import { MIGRATIONS } from './migrations/migrations';

/**
 * Names of the migrations of this build that the deployment's schema does not have yet, oldest first. Only looks: a
 * service that does not migrate waits until this is empty.
 */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const known = MIGRATIONS.map((Migration) => new Migration().name);
  const [table] = await sql.query<{ found: boolean }>(`select to_regclass('migrations') is not null as found`);
  if (table?.found !== true) return known;
  const applied = await sql.query<{ name: string }>('select name from migrations');
  return known.filter((name) => !applied.some((row) => row.name === name));
}
