import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Claims = Readonly<Record<string, unknown>>;

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** How a token is made wrong on purpose. */
export interface Forgery {
  /** `none`: no signature. `HS256`: signed with the public key as if it were a shared secret. */
  readonly alg?: 'RS256' | 'none' | 'HS256';
  /** Another key under the name of the right one. */
  readonly wrongKey?: boolean;
  /** The name of a key that the issuer does not have. */
  readonly kid?: string;
}

/**
 * A stand-in of the issuer of GitHub Actions' OIDC tokens: serves its keys where GitHub does
 * (`<url>/.well-known/jwks`), signs tokens with the claims that GitHub's have, and answers what a runner's
 * ACTIONS_ID_TOKEN_REQUEST_URL answers.
 */
export class OidcIssuer {
  private key = newKey();
  private broken: number | 'silent' | null = null;
  /** How often the keys were asked for. */
  keyRequests = 0;
  /** What the next tokens claim beside the defaults; also those that a runner asks for. */
  claims: Claims = {};
  /** For ACTIONS_ID_TOKEN_REQUEST_TOKEN. */
  readonly requestToken = randomBytes(16).toString('hex');

  private constructor(
    private readonly server: Server,
    /** For ASSAY_OIDC_ISSUER, with the setting that allows http. */
    readonly url: string,
  ) {}

  static async start(port = 0): Promise<OidcIssuer> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const issuer = new OidcIssuer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      issuer.answer(request, response);
    });
    return issuer;
  }

  /** For ACTIONS_ID_TOKEN_REQUEST_URL: runners add `&audience=…`. */
  get requestUrl(): string {
    return `${this.url}/token?api-version=2.0`;
  }

  /** A token that is good for five minutes, with the claims of a release's job unless `claims` say otherwise. */
  token(claims: Claims = {}, { alg = 'RS256', wrongKey = false, kid = this.key.kid }: Forgery = {}): string {
    const body = { ...workflowClaims(this.url), ...this.claims, ...claims };
    const text = [{ typ: 'JWT', alg, kid }, body].map((part) => base64url(JSON.stringify(part))).join('.');
    return `${text}.${this.signature(text, alg, wrongKey ? newKey() : this.key)}`;
  }

  /** From now on another key signs; the one before is served no more. */
  rotate(): void {
    this.key = newKey();
  }

  /** Keys are answered with this status, or not at all, until `mend`. */
  fail(how: number | 'silent'): void {
    this.broken = how;
  }

  mend(): void {
    this.broken = null;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private signature(text: string, alg: NonNullable<Forgery['alg']>, key: SigningKey): string {
    switch (alg) {
      case 'none':
        return '';
      case 'HS256':
        return createHmac('sha256', key.publicKey.export({ type: 'spki', format: 'pem' }))
          .update(text)
          .digest('base64url');
      case 'RS256':
        return sign('sha256', Buffer.from(text), key.privateKey).toString('base64url');
    }
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (pathname === '/.well-known/jwks') {
      this.keyRequests += 1;
      if (this.broken === 'silent') return;
      if (this.broken === null) json(200, { keys: [this.publicJwk()] });
      else json(this.broken, {});
    } else if (pathname === '/token') {
      const known = request.headers.authorization?.toLowerCase() === `bearer ${this.requestToken}`;
      const audience = searchParams.get('audience');
      if (known) json(200, { value: this.token(audience === null ? {} : { aud: audience }) });
      else json(401, { message: 'the request token is not known' });
    } else json(404, { message: 'there is nothing here' });
  }

  private publicJwk(): Claims {
    return { ...this.key.publicKey.export({ format: 'jwk' }), kid: this.key.kid, use: 'sig', alg: 'RS256' };
  }
}

/** What GitHub says of the job of a published release, as its documentation lists the claims. */
export function workflowClaims(issuer: string): Claims {
  const now = Math.floor(Date.now() / 1000);
  const workflow = 'acme/agent/.github/workflows/benchmark.yml@refs/tags/v1.0.0';
  return {
    iss: issuer,
    aud: 'assay',
    sub: 'repo:acme@7001/agent@9001:ref:refs/tags/v1.0.0',
    jti: randomUUID(),
    iat: now,
    nbf: now,
    exp: now + 300,
    repository: 'acme/agent',
    repository_id: '9001',
    repository_owner: 'acme',
    repository_owner_id: '7001',
    repository_visibility: 'public',
    event_name: 'release',
    ref: 'refs/tags/v1.0.0',
    ref_type: 'tag',
    sha: 'a'.repeat(40),
    run_id: '4711',
    run_number: '12',
    run_attempt: '1',
    workflow: 'benchmark',
    workflow_ref: workflow,
    workflow_sha: 'a'.repeat(40),
    job_workflow_ref: workflow,
    job_workflow_sha: 'a'.repeat(40),
    actor: 'octocat',
    actor_id: '583231',
    runner_environment: 'github-hosted',
  };
}

function newKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid: randomUUID(), privateKey, publicKey };
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
