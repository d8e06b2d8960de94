import { Octokit } from '@octokit/rest';
import type { GithubCredential } from './github-credential.port';
import { githubFailure } from './github-failure';

/** Which GitHub, and as whom. */
export interface GithubAccess {
  /** Root of the API, e.g. `https://api.github.com`, or `https://HOST/api/v3` of a GitHub Enterprise Server. */
  readonly baseUrl: string;
  readonly credential: GithubCredential;
}

export interface Bounds {
  /** Milliseconds that one request may take. */
  readonly timeoutMs: number;
  /** Ends requests. */
  readonly signal?: AbortSignal | undefined;
  /** Runs ahead of every try. */
  readonly before?: () => Promise<void>;
}

export type Call<T> = (request: { signal: AbortSignal }) => Promise<T>;

/**
 * Requests to GitHub with a credential, through Octokit without its retries
 * (docs/adr/0007-octokit-without-retry-plugins.md). A request is made once; only where GitHub refused the token, and so did
 * nothing, and another token can be had, it is made a second time with that one.
 */
export class GithubRequests {
  readonly octokit: Octokit;
  /** Failed requests whose token can be replaced. */
  private readonly renewable = new WeakSet();

  constructor({ baseUrl, credential }: GithubAccess) {
    this.octokit = octokitAt(baseUrl);
    this.octokit.hook.wrap('request', async (request, options) => {
      const token = await credential.token();
      options.headers.authorization = `Bearer ${token}`;
      options.headers['x-github-api-version'] = '2022-11-28';
      try {
        return (await request(options)) as never;
      } catch (error) {
        if (isRefusal(error) && (await credential.refused(token))) this.renewable.add(error);
        throw error;
      }
    });
  }

  /** @throws a failure of ours, as `githubFailure` tells it; the signal's reason where that was aborted */
  async asked<T>(doing: string, call: Call<T>, { timeoutMs, signal, before }: Bounds): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      await before?.();
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        return await call({ signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) });
      } catch (error) {
        signal?.throwIfAborted();
        if (tries === 1 && typeof error === 'object' && error !== null && this.renewable.has(error)) continue;
        throw githubFailure(error, doing, Date.now());
      }
    }
  }
}

/** Octokit without a credential, and without log lines of its own: our failures say more. */
export function octokitAt(baseUrl: string): Octokit {
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return new Octokit({ baseUrl: baseUrl.replace(/\/+$/, ''), userAgent: 'assay', log });
}

function isRefusal(error: unknown): error is object {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === 401;
}

function ignore(): void {
  // Nobody reads it.
}
