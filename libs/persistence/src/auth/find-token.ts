import type { Sql } from '../database';
import { TOKEN_COLUMNS, type TokenRow } from './token-row';

/** A token as it is found by a call; by the database's clock, which every dispatcher shares. */
export type FoundToken = TokenRow & { readonly standing: 'good' | 'expired' | 'revoked' };

/** The service token of this hash, or null. Its use is noted, to the minute, while it is good. */
export async function findToken(sql: Sql, hash: string): Promise<FoundToken | null> {
  const [row] = await sql.query<FoundToken>(
    `with noted as (
       update service_tokens set last_used_at = now()
       where token_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())
         and (last_used_at is null or last_used_at < now() - interval '1 minute')
     )
     select ${TOKEN_COLUMNS},
       case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'good' end as standing
     from service_tokens where token_hash = $1`,
    [hash],
  );
  return row ?? null;
}
