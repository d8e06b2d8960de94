import type { Sql } from '../database';
import { TOKEN_COLUMNS, type TokenRow } from './token-row';

/** Every service token that there was, the newest first. */
export function listTokens(sql: Sql): Promise<TokenRow[]> {
  return sql.query<TokenRow>(`select ${TOKEN_COLUMNS} from service_tokens order by created_at desc, id`);
}
