import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpStatus } from '@nestjs/common';
import { errorReply } from '@assay/service-kit';
import { callRecord } from '../calls/call-record';
import { Denied } from '../denied';

/** What a route's body may be. */
export interface BodyRule {
  readonly maxBytes: number;
  /** Time for the whole of it. */
  readonly wholeMs: number;
  /** Time in which something of it must come. */
  readonly idleMs: number;
}

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Middleware that refuses a body by its announced length (413, naming the limit), and ends one that comes too slowly
 * (408): a body that is sent byte by byte would hold its connection for ever. What is longer than it announced, or
 * announces nothing, is for the reader of the body to refuse.
 */
export function boundedBodies(ruleOf: (method: string, path: string) => BodyRule): Middleware {
  return (request, response, next) => {
    const rule = ruleOf(request.method ?? '', (request.url ?? '').split('?', 1)[0] ?? '');
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > rule.maxBytes) {
      // Its rest is not waited for.
      response.setHeader('connection', 'close');
      const message = `the body is larger than ${rule.maxBytes} bytes`;
      next(new Denied(HttpStatus.PAYLOAD_TOO_LARGE, 'body_too_large', message));
      return;
    }
    if (announced > 0 || request.headers['transfer-encoding'] !== undefined) watch(request, response, rule);
    next();
  };
}

function watch(request: IncomingMessage, response: ServerResponse, { wholeMs, idleMs }: BodyRule): void {
  const tooSlow = (): void => {
    stop();
    end(request, response, `the body did not come within ${wholeMs} ms, or stood still for ${idleMs} ms`);
  };
  let seen = request.socket.bytesRead;
  const whole = setTimeout(tooSlow, wholeMs);
  const idle = setInterval(() => {
    if (request.socket.bytesRead === seen) tooSlow();
    seen = request.socket.bytesRead;
  }, idleMs);
  const stop = (): void => {
    clearTimeout(whole);
    clearInterval(idle);
  };
  request.once('end', stop);
  request.once('close', stop);
}

/** Answers in place of the handler, which still waits for the body, and breaks the connection. */
function end(request: IncomingMessage, response: ServerResponse, message: string): void {
  if (response.headersSent) {
    request.destroy();
    return;
  }
  callRecord(request).cutOff = 'body_too_slow';
  const body = JSON.stringify(errorReply(HttpStatus.REQUEST_TIMEOUT, message));
  response.writeHead(HttpStatus.REQUEST_TIMEOUT, { 'content-type': 'application/json', connection: 'close' });
  response.end(body, () => request.destroy());
}
