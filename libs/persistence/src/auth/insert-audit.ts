import type { Sql } from '../database';
import type { PRINCIPAL_KINDS } from '../entities/audit-log.entity';

/** A call of the HTTP API. Holds no token and no body. */
export interface AuditEntry {
  readonly at: Date;
  readonly requestId: string;
  readonly principalKind: (typeof PRINCIPAL_KINDS)[number];
  readonly principal: string | null;
  readonly method: string;
  readonly route: string | null;
  readonly path: string;
  readonly status: number;
  readonly reason: string | null;
  readonly address: string;
}

/** Appends calls, in their order. */
export async function insertAudit(sql: Sql, entries: readonly AuditEntry[]): Promise<void> {
  await sql.query(
    `insert into audit_log (at, request_id, principal_kind, principal, method, route, path, status, reason, address)
     select at, "requestId", "principalKind", principal, method, route, path, status, reason, address
     from rows from (jsonb_to_recordset($1::jsonb) as (at timestamptz, "requestId" uuid, "principalKind" text,
       principal text, method text, route text, path text, status integer, reason text, address text))
     with ordinality
     order by ordinality`,
    [JSON.stringify(entries)],
  );
}
