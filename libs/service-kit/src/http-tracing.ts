import type { IncomingMessage, ServerResponse } from 'node:http';
import { inSpan, type ActiveSpan } from '@assay/telemetry';
import {
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_PATH,
} from '@opentelemetry/semantic-conventions';
import type { Logger } from 'pino';

type Request = IncomingMessage & { originalUrl?: string; route?: { path?: unknown } };
type Middleware = (request: Request, response: ServerResponse, next: (error?: unknown) => void) => void;

const HEALTH = new Set(['/livez', '/readyz']);

/**
 * A server span around every request but the health pages, child of the caller's `traceparent`, and one log line when
 * the answer is out.
 */
export function traceRequests(logger: Logger): Middleware {
  return (request, response, next) => {
    const path = (request.originalUrl ?? request.url ?? '/').split('?', 1)[0] ?? '/';
    if (HEALTH.has(path)) {
      next();
      return;
    }
    const method = request.method ?? 'GET';
    const header = request.headers['traceparent'];
    const options = {
      kind: 'server',
      parent: typeof header === 'string' ? header : null,
      attributes: { [ATTR_HTTP_REQUEST_METHOD]: method, [ATTR_URL_PATH]: path },
    } as const;
    inSpan(method, options, (span) => served(span, method, request, response, next, logger)).catch(next);
  };
}

function served(
  span: ActiveSpan,
  method: string,
  request: Request,
  response: ServerResponse,
  next: () => void,
  logger: Logger,
): Promise<void> {
  const begun = performance.now();
  return new Promise((resolve) => {
    response.once('close', () => {
      const status = response.statusCode;
      const route = typeof request.route?.path === 'string' ? request.route.path : null;
      if (route !== null) {
        span.rename(`${method} ${route}`);
        span.setAttribute(ATTR_HTTP_ROUTE, route);
      }
      span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
      if (status >= 500) span.fail(`status ${status}`);
      const aborted = !response.writableFinished;
      const durationMs = Math.round(performance.now() - begun);
      logger.info({ method, route, status, durationMs, aborted }, 'request served');
      resolve();
    });
    next();
  });
}
