import type { Sql } from '../database';
import type { AuditEntry } from './insert-audit';

export interface AuditQuery {
  readonly limit: number;
  /** Only what is older than this line's id; null: from the newest. */
  readonly before: string | null;
}

export type AuditLine = AuditEntry & { /** A bigint, as text. */ readonly id: string };

/** Calls from new to old. */
export function listAudit(sql: Sql, { limit, before }: AuditQuery): Promise<AuditLine[]> {
  return sql.query<AuditLine>(
    `select id::text, at, request_id as "requestId", principal_kind as "principalKind", principal, method, route, path,
       status, reason, address
     from audit_log where $1::bigint is null or audit_log.id < $1 order by audit_log.id desc limit $2`,
    [before, limit],
  );
}
