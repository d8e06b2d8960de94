import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Callers } from '../callers';

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Time for a sender who was refused to take the answer before its connection is broken. */
const LINGER_MS = 2_000;

/**
 * Middleware for requests with a body: who sends one says first who they are. Nobody else's is read or parsed: the refusal
 * goes out when the headers are there, and what still comes is thrown away for a moment, then the connection is broken.
 */
export function knownSenders(callers: Pick<Callers, 'of'>): Middleware {
  return (request, response, next) => {
    if (!hasBody(request)) {
      next();
      return;
    }
    callers.of(request).then(
      () => {
        next();
      },
      (error: unknown) => {
        endSoon(request, response);
        next(error);
      },
    );
  };
}

/** As HTTP says it (RFC 9112, 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A connection that is closed at once, with bytes unread, takes the answer with it. */
function endSoon(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.destroy(), LINGER_MS).unref();
    request.once('close', () => {
      clearTimeout(timer);
    });
  });
}

/**
 * Middleware that tells a sender who waits for it (`Expect: 100-continue`) to send the body. It stands behind whatever may
 * refuse a body by its headers, so that it is not sent in vain.
 */
export function welcomedBodies(): Middleware {
  return (request, response, next) => {
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
    next();
  };
}
