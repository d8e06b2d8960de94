import { reasonOf } from '@assay/service-kit';
import type { z } from 'zod';

const TIMEOUT_MS = 10_000;

/** What GitHub's REST API says to a question. */
export type GithubAnswer<T> =
  | { readonly answer: 'found'; readonly value: T }
  /** 404: not there, or not for this token to see. */
  | { readonly answer: 'missing' }
  /** No verdict: worth another question. */
  | { readonly answer: 'away'; readonly reason: string; readonly retryAfterSeconds: number | null };

/** Reads GitHub's REST API, one bounded question at a time. */
export class GithubApi {
  private readonly root: string;

  /**
   * @param url root of the API, e.g. `https://api.github.com`
   * @param token null: anonymous, which sees public repositories only
   */
  constructor(
    url: string,
    private readonly token: string | null,
  ) {
    this.root = url.replace(/\/+$/, '');
  }

  /**
   * Never rejects for what GitHub answers or fails to answer; takes ten seconds at most.
   * @param path below `/repos/{owner}/{name}`, its parts encoded
   * @param about in a sentence, e.g. `release v1.0.0 of owner/name`
   */
  async ask<S extends z.ZodType>(
    { repository, path, about }: { readonly repository: string; readonly path: string; readonly about: string },
    schema: S,
    signal: AbortSignal,
  ): Promise<GithubAnswer<z.output<S>>> {
    const [owner = '', name = ''] = repository.split('/');
    try {
      const answer = await fetch(`${this.root}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}${path}`, {
        headers: {
          accept: 'application/vnd.github+json',
          'user-agent': 'assay-dispatcher',
          'x-github-api-version': '2022-11-28',
          ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      if (answer.ok) return { answer: 'found', value: schema.parse(await answer.json()) };
      await answer.body?.cancel();
      if (answer.status === 404) return { answer: 'missing' };
      const reason = `GitHub answers ${answer.status} when asked about ${about}`;
      return { answer: 'away', reason, retryAfterSeconds: retryAfterSeconds(answer.headers, Date.now()) };
    } catch (error) {
      const reason = `GitHub cannot be asked about ${about}: ${reasonOf(error)}`;
      return { answer: 'away', reason, retryAfterSeconds: null };
    }
  }
}

/**
 * Seconds that GitHub asks to stay away: `retry-after`, else until `x-ratelimit-reset` when nothing remains
 * (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
 */
function retryAfterSeconds(headers: Headers, now: number): number | null {
  const after = headers.get('retry-after') ?? '';
  if (/^\d{1,6}$/.test(after)) return Number(after);
  const reset = headers.get('x-ratelimit-reset') ?? '';
  if (headers.get('x-ratelimit-remaining') !== '0' || !/^\d{1,12}$/.test(reset)) return null;
  return Math.min(3_600, Math.max(0, Math.ceil(Number(reset) - now / 1_000)));
}
