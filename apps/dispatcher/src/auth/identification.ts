import { createHash, timingSafeEqual } from 'node:crypto';
import { HttpStatus } from '@nestjs/common';
import { Scope } from '@assay/contracts';
import { lastUseOf, type OidcVerifier, type WorkflowClaims } from '@assay/github';
import { findToken, type OidcUse, type Sql } from '@assay/persistence';
import type { AccessPolicy } from '@assay/release-policy';
import { allowedWorkflow } from './allowed-workflow';
import { Denied, unauthorized } from './denied';
import type { Principal, ServicePrincipal } from './principal';
import { hashOf, TOKEN_PREFIX } from './tokens/token-text';

/** Who calls, and, of a token that may be used once, what its use is noted by. */
export interface Identity {
  readonly principal: Principal;
  readonly use: OidcUse | null;
}

export interface OidcDoor {
  readonly issuer: string;
  readonly verifier: OidcVerifier;
  readonly access: AccessPolicy;
}

export interface IdentificationParts {
  readonly database: Sql;
  /** The deployment's token. */
  readonly apiToken: string;
  /** Null: tokens of workflows are not taken. */
  readonly oidc: OidcDoor | null;
  /** Rejects while the database has no schema to look into. */
  readonly requireSchema: () => Promise<unknown>;
}

/** A JSON Web Signature in its compact form (RFC 7515, 3.1); the signature may be empty, and is refused later. */
const JWS = /^[\w-]+\.[\w-]*\.[\w-]*$/;

/** Says who a bearer token belongs to. It spends nothing: what it finds may still be refused. */
export class Identification {
  private readonly wanted: Buffer;

  constructor(private readonly parts: IdentificationParts) {
    this.wanted = sha256(parts.apiToken);
  }

  /** @throws Denied 401, 403 for a workflow that the policy does not list, 503 where the issuer cannot be asked */
  async identify(authorization: string | undefined): Promise<Identity> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      throw unauthorized('credentials_missing', 'the header "Authorization: Bearer <token>" is missing');
    }
    // Equally long for every guess.
    if (timingSafeEqual(sha256(token), this.wanted)) return { principal: { kind: 'deployment' }, use: null };
    if (token.startsWith(TOKEN_PREFIX)) return { principal: await this.service(token), use: null };
    if (JWS.test(token)) return this.workflow(token);
    throw unauthorized('token_unknown', 'the bearer token is not known');
  }

  private async service(token: string): Promise<ServicePrincipal> {
    await this.parts.requireSchema();
    const found = await findToken(this.parts.database, hashOf(token));
    if (found === null) throw unauthorized('token_unknown', 'the bearer token is not known');
    switch (found.standing) {
      case 'revoked':
        throw unauthorized('token_revoked', `the token ${found.id} was revoked`);
      case 'expired':
        throw unauthorized('token_expired', `the token ${found.id} is expired`);
      case 'good': {
        const { id: tokenId, name, repository } = found;
        return { kind: 'service', tokenId, name, scopes: Scope.array().parse(found.scopes), repository };
      }
    }
  }

  private async workflow(token: string): Promise<Identity> {
    const { oidc } = this.parts;
    if (oidc === null)
      throw unauthorized('oidc_off', 'tokens of GitHub Actions are not taken here: no audience is set');
    const verdict = await oidc.verifier.verify(token);
    switch (verdict.answer) {
      case 'unavailable':
        throw new Denied(HttpStatus.SERVICE_UNAVAILABLE, 'issuer_unreachable', verdict.message, {
          'retry-after': '5',
        });
      case 'refused':
        throw unauthorized(verdict.reason, verdict.message);
      case 'verified': {
        const { claims } = verdict;
        const answer = allowedWorkflow(oidc.access, claims);
        if (answer.answer === 'refused') throw new Denied(HttpStatus.FORBIDDEN, answer.reason, answer.message);
        const use = { issuer: oidc.issuer, jti: claims.jti, lastUse: lastUseOf(claims) };
        return { principal: workflowPrincipal(answer.repository, claims), use };
      }
    }
  }
}

function workflowPrincipal(repository: string, claims: WorkflowClaims): Principal {
  return {
    kind: 'workflow',
    repository,
    repositoryId: claims.repository_id,
    ownerId: claims.repository_owner_id,
    eventName: claims.event_name,
    ref: claims.ref,
    sha: claims.sha,
    runId: claims.run_id,
    runAttempt: claims.run_attempt,
    workflowRef: claims.workflow_ref,
    actor: claims.actor,
  };
}

/** Equal lengths for timingSafeEqual, whatever was sent. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
