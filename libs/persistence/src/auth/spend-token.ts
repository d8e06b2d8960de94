import type { Sql } from '../database';

export interface OidcUse {
  readonly issuer: string;
  readonly jti: string;
  /** Seconds since 1970 after which no verifier takes the token. */
  readonly lastUse: number;
}

/** Notes the use of an OIDC token. True for the first, false for every later one, also of two at the same moment. */
export async function spendToken(sql: Sql, { issuer, jti, lastUse }: OidcUse): Promise<boolean> {
  const rows = await sql.query(
    `insert into spent_tokens (issuer, jti, kept_until) values ($1, $2, to_timestamp($3))
     on conflict do nothing returning 1`,
    [issuer, jti, lastUse],
  );
  return rows.length === 1;
}
