import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AuditEntry } from '@assay/persistence';
import { refusalOf } from '@assay/service-kit';
import { type CallRecord, callRecord } from '../calls/call-record';
import { Denied } from '../denied';
import { nameOf } from '../principal';
import type { AuditLog } from './audit-log';

type Request = IncomingMessage & { readonly ip?: string; originalUrl?: string; route?: { path?: unknown } };
type Middleware = (request: Request, response: ServerResponse, next: () => void) => void;

/** What anybody may read; looking at it is no call of the API. */
const OPEN = /^\/(livez|readyz|docs|docs-json|docs-yaml)$|^\/docs\//;

/** nginx's number for a caller who did not wait for the answer. */
export const CALLER_LEFT = 499;

const LONGEST_PATH = 500;

/** Middleware that records every call when its answer is out, and tells the caller the number of its request. */
export function auditCalls(log: Pick<AuditLog, 'record'>): Middleware {
  return (request, response, next) => {
    const record = callRecord(request);
    const address = request.ip ?? request.socket.remoteAddress ?? '';
    response.setHeader('x-request-id', record.requestId);
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : CALLER_LEFT;
      const path = pathOf(request.originalUrl ?? request.url ?? '');
      if (status < 400 && OPEN.test(path)) return;
      const refusal = refusalOf(response);
      const reason = record.cutOff ?? (refusal instanceof Denied ? refusal.reason : reasonOf(status));
      log.record(entryOf(record, { request, path, status, reason, address }));
    });
    next();
  };
}

interface Served {
  readonly request: Request;
  readonly path: string;
  readonly status: number;
  readonly reason: string | null;
  readonly address: string;
}

function entryOf(record: CallRecord, { request, ...answered }: Served): AuditEntry {
  const { principal, requestId, begunAt } = record;
  return {
    at: begunAt,
    requestId,
    principalKind: principal?.kind ?? 'nobody',
    principal: principal === null ? null : nameOf(principal),
    method: request.method ?? '',
    route: typeof request.route?.path === 'string' ? request.route.path : null,
    ...answered,
  };
}

/** e.g. `not_found`; messages may hold parts of a body, so they are not kept. Null for a success. */
function reasonOf(status: number): string | null {
  if (status < 400) return null;
  if (status === CALLER_LEFT) return 'caller_left';
  // By its announced length or by the reader of the body: it is one thing.
  if (status === 413) return 'body_too_large';
  return (STATUS_CODES[status] ?? `status ${status}`).toLowerCase().replaceAll(/[^a-z]+/g, '_');
}

/** Without the query, and without what looks like a token. */
export function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  const shown = path.replaceAll(/assay_[\w-]+|[\w-]{16,}\.[\w-]{16,}\.[\w-]*/g, '[redacted]');
  // PostgreSQL takes no NUL in a text; a request line cannot hold one, but nothing rests on that.
  return shown.replaceAll('\0', '').slice(0, LONGEST_PATH);
}
