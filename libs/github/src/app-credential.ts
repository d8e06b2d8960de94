import { createAppAuth } from '@octokit/auth-app';
import { InfraError } from '@assay/failures';
import type { GithubCredential } from './github-credential.port';
import { githubFailure, isTransient } from './github-failure';
import { octokitAt } from './github-requests';

export interface GithubAppOptions {
  /** As of `ReleaseClient`. */
  readonly baseUrl: string;
  /** The App's id, or its client id. */
  readonly appId: string;
  readonly installationId: number;
  /** PEM, PKCS #8 or #1. */
  readonly privateKey: string;
  /** What a token may do: never more than this, whatever the installation may. */
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
  /** Told of every new token, before it is used. */
  readonly onToken: (token: string) => void;
  /** Milliseconds that the making of a token may take. Default 30 s. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

interface Minted {
  readonly token: string;
  /** Milliseconds of the clock. From then on another one is made. */
  readonly renewAt: number;
}

/** A token is renewed when less than this part of its life is left: six minutes of an hour. */
const LAST_PART = 0.1;

/**
 * A GitHub App on one installation. It proves itself by its private key, and gets tokens that live an hour
 * (https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app). One is kept until shortly
 * before its end, or until GitHub refuses it: revoked tokens and suspended Apps are not known before.
 */
export class GithubApp implements GithubCredential {
  private current: Minted | null = null;
  private minting: Promise<Minted> | null = null;

  constructor(private readonly options: GithubAppOptions) {}

  /** @throws InfraError `github_app_refused`, or what keeps GitHub from answering */
  async token(): Promise<string> {
    const { current } = this;
    if (current !== null && this.now() < current.renewAt) return current.token;
    this.minting ??= this.mint().finally(() => {
      this.minting = null;
    });
    return (await this.minting).token;
  }

  refused(token: string): Promise<boolean> {
    if (this.current?.token === token) this.current = null;
    return Promise.resolve(true);
  }

  private async mint(): Promise<Minted> {
    const { baseUrl, appId, installationId, privateKey, permissions, onToken, timeoutMs = 30_000 } = this.options;
    const { request } = octokitAt(baseUrl);
    const bounded = request.defaults({ request: { signal: AbortSignal.timeout(timeoutMs) } });
    const auth = createAppAuth({ appId, installationId, privateKey, request: bounded });
    const askedAt = this.now();
    try {
      const { token, expiresAt } = await auth({ type: 'installation', permissions });
      onToken(token);
      const life = Math.max(0, Date.parse(expiresAt) - askedAt);
      this.current = { token, renewAt: askedAt + life * (1 - LAST_PART) };
      return this.current;
    } catch (error) {
      throw this.refusal(error);
    }
  }

  /** What passes stays what it is; the rest is a matter of the App, not of the release that was to be written. */
  private refusal(error: unknown): unknown {
    const { appId, installationId } = this.options;
    const doing = `asking for a token of the installation ${installationId} of the GitHub App ${appId}`;
    const failure = githubFailure(error, doing, this.now());
    if (isTransient(failure) || failure.code === 'github_rate_limited') return failure;
    const options = { code: 'github_app_refused', phase: 'publish', details: failure.details, cause: failure } as const;
    return new InfraError(failure.message, options);
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}
