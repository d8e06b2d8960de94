import { BlamedError, type FailureCode, InfraError } from '@assay/failures';
import { RequestError } from '@octokit/request-error';

/** GitHub's own advice where an answer says nothing more: a minute. */
const DEFAULT_WAIT_MS = 60_000;

/**
 * Turns what Octokit threw into a failure of ours with the real cause: `github_auth_failed`, `github_rate_limited`
 * (details.retryAfterMs), `github_forbidden`, `github_not_found`, `github_already_exists`, `github_immutable`,
 * `github_body_too_long`, `github_rejected`, `github_unavailable`, `github_unreachable`, `github_unexpected`. Octokit has
 * taken the token out of the error already. A failure of ours passes through.
 */
export function githubFailure(error: unknown, doing: string, now: number): BlamedError {
  if (error instanceof BlamedError) return error;
  if (!(error instanceof RequestError)) return failure('github_unexpected', doing, String(error), {}, error);
  // Whole notes and files do not belong into logs.
  delete error.request.body;
  const { status, response } = error;
  if (response === undefined) return failure('github_unreachable', doing, reasons(error).join(': '), {}, error);
  const said = messageOf(response.data) ?? error.message;
  const details = { status, requestId: response.headers['x-github-request-id'] ?? null };
  if (isRateLimit(status, response.headers, said)) {
    return failure(
      'github_rate_limited',
      doing,
      said,
      { ...details, retryAfterMs: waitMs(response.headers, now) },
      error,
    );
  }
  return failure(codeOf(status, said), doing, `${status} ${said}`, details, error);
}

/** Milliseconds that GitHub asks to stay away, where this failure is a rate limit; else null. */
export function retryAfterMs(error: unknown): number | null {
  if (!(error instanceof InfraError) || error.code !== 'github_rate_limited') return null;
  return Number(error.details['retryAfterMs']);
}

/** True when the same request may well be answered otherwise in a moment. */
export function isTransient(error: unknown): boolean {
  return error instanceof InfraError && ['github_unavailable', 'github_unreachable'].includes(error.code);
}

function failure(code: FailureCode, doing: string, said: string, details: object, cause: unknown): InfraError {
  const message = `${doing}: ${said}`.slice(0, 2000);
  return new InfraError(message, { code, phase: 'publish', details: { ...details }, cause });
}

function codeOf(status: number, said: string): FailureCode {
  if (status === 401) return 'github_auth_failed';
  if (status === 403) return 'github_forbidden';
  if (status === 404 || status === 410) return 'github_not_found';
  if (status >= 500) return 'github_unavailable';
  if (status !== 422) return 'github_unexpected';
  if (said.includes('already_exists')) return 'github_already_exists';
  if (said.includes('immutable release')) return 'github_immutable';
  return said.includes('body is too long') ? 'github_body_too_long' : 'github_rejected';
}

interface Headers {
  readonly [name: string]: string | number | undefined;
}

function isRateLimit(status: number, headers: Headers, said: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(said);
}

/** `retry-after` in seconds, else the reset of an exhausted limit, else a minute (GitHub's documented order). */
function waitMs(headers: Headers, now: number): number {
  const seconds = Number(headers['retry-after']);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) return Math.max(0, reset * 1000 - now) + 1000;
  return DEFAULT_WAIT_MS;
}

interface Said {
  readonly message?: unknown;
  readonly errors?: unknown;
}

/** GitHub's message and the codes and messages of its `errors`. */
function messageOf(data: unknown): string | null {
  const { message, errors } = (typeof data === 'object' && data !== null ? data : {}) as Said;
  if (typeof message !== 'string') return null;
  const each = Array.isArray(errors) ? (errors as unknown[]) : [];
  const more = each.map((one) => {
    if (typeof one === 'string') return one;
    const { code: what, field, message: text } = (one ?? {}) as Record<string, unknown>;
    return [field, what, text].filter((part) => typeof part === 'string').join(' ');
  });
  return [message, ...more].join('; ');
}

/**
 * Messages and codes down the chain: fetch hides the system's error two causes deep. Read by shape, since an error of
 * fetch may belong to another realm than ours.
 */
function reasons(error: unknown): string[] {
  const found: string[] = [];
  let at = error;
  while (typeof at === 'object' && at !== null && found.length < 5) {
    const { message, code: system, cause } = at as { message?: unknown; code?: unknown; cause?: unknown };
    const parts = [message, typeof system === 'string' ? `(${system})` : ''];
    found.push(parts.filter((part) => typeof part === 'string' && part !== '').join(' '));
    at = cause;
  }
  return [...new Set(found)].filter((one) => one !== '' && one !== 'Unknown Error');
}
