import type { IncomingMessage } from 'node:http';
import { HttpStatus } from '@nestjs/common';
import { Denied } from '../denied';

type Middleware = (request: IncomingMessage, response: unknown, next: (error?: unknown) => void) => void;

/** Headers that mean something else when there are two of them, and who reads which is anybody's guess. */
const ONCE = ['authorization', 'content-length', 'content-type', 'host', 'idempotency-key', 'transfer-encoding'];

/**
 * Middleware that refuses (400) requests that two readers could understand in two ways: a path with `.` or `..`, an empty
 * segment, a backslash, a NUL, or an encoded slash, dot or percent sign; a header twice that may be there once; none that says
 * for which host it is. And (417) one that expects something else than to be told to go on: RFC 9110, 7.2 and 10.1.1.
 */
export function plainRequests(): Middleware {
  return (request, _response, next) => {
    const path = pathProblem(request.url ?? '');
    if (path !== null) {
      next(new Denied(HttpStatus.BAD_REQUEST, 'path_not_valid', `the path is not valid: ${path}`));
      return;
    }
    const twice = headerTwice(request.rawHeaders);
    if (twice === null) next(unknownAsk(request) ?? undefined);
    else next(new Denied(HttpStatus.BAD_REQUEST, 'header_twice', `the header ${twice} is there more than once`));
  };
}

/** What Node would refuse by itself, so that nobody recorded it. HTTP/1.0 knows neither header. */
function unknownAsk({ httpVersion, headers: { host, expect } }: IncomingMessage): Denied | null {
  if (httpVersion !== '1.1') return null;
  if (host === undefined) return new Denied(HttpStatus.BAD_REQUEST, 'host_missing', 'the header Host is missing');
  if (expect === undefined || expect.toLowerCase() === '100-continue') return null;
  const message = 'the header Expect is not valid: expected 100-continue, or none';
  return new Denied(HttpStatus.EXPECTATION_FAILED, 'expectation_unknown', message);
}

/** What is wrong with the path of a request target, or null. */
export function pathProblem(target: string): string | null {
  const path = target.split(/[?#]/, 1)[0] ?? '';
  if (!path.startsWith('/')) return 'expected it to begin with a slash';
  const decoded = decodedOnce(path);
  if (decoded === null) return 'expected percent signs to encode UTF-8';
  // One that is encoded twice is what it means once more, to the next one who decodes.
  if (decoded.includes('%')) return 'expected no encoded percent sign';
  if (/%(2f|5c|2e)/i.test(path)) return 'expected no encoded slash or dot';
  if (/[\\\x00-\x1f\x7f]/.test(decoded)) return 'expected no backslash and no control character';
  const segments = path.slice(1).split('/');
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'expected no . or .. in it';
  // One slash at the end is none of it.
  return segments.slice(0, -1).includes('') ? 'expected no empty part' : null;
}

function decodedOnce(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** @param raw names and values in turn, as Node has them */
function headerTwice(raw: readonly string[]): string | null {
  const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name)) ?? null;
}
