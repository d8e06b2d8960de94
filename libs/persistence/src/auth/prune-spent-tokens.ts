import type { Sql } from '../database';

/**
 * Forgets OIDC tokens that nobody takes any more. They are kept an hour longer: a verifier goes by its own clock, and
 * what is forgotten too early could be used again. Resolves with how many there were.
 */
export async function pruneSpentTokens(sql: Sql): Promise<number> {
  const rows = await sql.query(`delete from spent_tokens where kept_until < now() - interval '1 hour' returning 1`);
  return rows.length;
}
