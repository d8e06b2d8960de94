import type { Sql } from '../database';
import { TOKEN_COLUMNS, type TokenRow } from './token-row';

/** Takes a service token back, once and for all; the first time stands. Null where there is no such token. */
export async function revokeToken(sql: Sql, id: string): Promise<TokenRow | null> {
  const [row] = await sql.query<TokenRow>(
    `update service_tokens set revoked_at = coalesce(revoked_at, now()) where id = $1 returning ${TOKEN_COLUMNS}`,
    [id],
  );
  return row ?? null;
}
