import type { Sql } from '../database';
import { TOKEN_COLUMNS, type TokenRow } from './token-row';

export interface NewToken {
  readonly id: string;
  readonly name: string;
  /** Hexadecimal sha256 of the token. */
  readonly hash: string;
  readonly scopes: readonly string[];
  readonly repository: string | null;
  readonly createdBy: string;
  readonly expiresAt: Date | null;
}

/** Stores a service token. */
export async function insertToken(sql: Sql, token: NewToken): Promise<TokenRow> {
  const { id, name, hash, scopes, repository, createdBy, expiresAt } = token;
  const [row] = await sql.query<TokenRow>(
    `insert into service_tokens (id, name, token_hash, scopes, repository, created_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${TOKEN_COLUMNS}`,
    [id, name, hash, JSON.stringify(scopes), repository, createdBy, expiresAt],
  );
  if (row === undefined) throw new Error('an insert returned nothing');
  return row;
}
