import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorReply } from '@assay/service-kit';
import { pathOf } from '../audit/audit-calls';
import type { AuditLog } from '../audit/audit-log';

/** What Node keeps with a connection's socket: its address, and the answer that is being sent on it. */
type HttpSocket = Duplex & {
  readonly remoteAddress?: string;
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
};

interface Broken {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

/** Answers and records what never became a request: broken syntax, headers that are too long or too slow, a tunnel. */
export function answerBrokenRequests(server: Server, log: Pick<AuditLog, 'record'>): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: HttpSocket) => {
    const broken = brokenBy(error);
    // A caller who hung up is not answered, nor one who has half an answer already.
    if (broken === null || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    answerAt(socket, broken, { log, method: '(none)', path: '(none)' });
  });
  server.on('connect', (request: IncomingMessage, socket: HttpSocket) => {
    socket.on('error', () => socket.destroy());
    const message = 'CONNECT is not taken: this is no proxy';
    const refused = { status: 405, reason: 'method_not_allowed', message };
    answerAt(socket, refused, { log, method: 'CONNECT', path: pathOf(request.url ?? '') });
  });
}

interface Asked {
  readonly log: Pick<AuditLog, 'record'>;
  readonly method: string;
  readonly path: string;
}

/** Answers without Node's help, ends the connection, and records it. */
function answerAt(socket: HttpSocket, { status, reason, message }: Broken, { log, method, path }: Asked): void {
  const requestId = randomUUID();
  const address = socket.remoteAddress ?? '';
  const body = JSON.stringify(errorReply(status, message));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...(status === 405 ? ['allow: GET, HEAD, POST, DELETE'] : []),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  const nobody = { principalKind: 'nobody', principal: null, route: null } as const;
  log.record({ at: new Date(), requestId, ...nobody, method, path, status, reason, address });
}

/** Null for a connection that broke by itself. */
function brokenBy({ code }: NodeJS.ErrnoException): Broken | null {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, reason: 'headers_too_large', message: 'the headers are larger than 16384 bytes' };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, reason: 'request_too_slow', message: 'the request did not come in time' };
  }
  if (code?.startsWith('HPE_') !== true) return null;
  return { status: 400, reason: 'request_malformed', message: 'this is not an HTTP request' };
}
