import type { RateLimits } from './rate-limits';

type Middleware = (
  request: { readonly path: string; readonly ip: string },
  response: unknown,
  next: (error?: unknown) => void,
) => void;

const HEALTH = new Set(['/livez', '/readyz']);

/** Middleware that refuses (429) the calls of an address that calls too often; health pages are not counted. */
export function countedCalls(limits: RateLimits): Middleware {
  return ({ path, ip }, _response, next) => {
    if (HEALTH.has(path)) {
      next();
      return;
    }
    limits.arrival(ip).then(() => {
      next();
    }, next);
  };
}
