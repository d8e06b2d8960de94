import type { Scope } from '@assay/contracts';

export type { Scope };

/** Who calls, as far as a call proved it. */
export type Principal = WorkflowPrincipal | ServicePrincipal | DeploymentPrincipal;

/** A job of GitHub Actions, by its OIDC token. All of it was signed by the issuer; names are `owner/name`. */
export interface WorkflowPrincipal {
  readonly kind: 'workflow';
  /** As the policy file spells it. */
  readonly repository: string;
  readonly repositoryId: string;
  readonly ownerId: string;
  /** e.g. `release`, `workflow_dispatch` */
  readonly eventName: string;
  /** e.g. `refs/tags/v1.0.0` */
  readonly ref: string;
  /** 40 lower-case hexadecimal digits. */
  readonly sha: string;
  readonly runId: string;
  readonly runAttempt: string;
  /** `owner/name/path@ref` of the workflow that was started. */
  readonly workflowRef: string;
  readonly actor: string;
}

/** Whoever holds a service token. */
export interface ServicePrincipal {
  readonly kind: 'service';
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only repository whose runs it may see and make; null: all. */
  readonly repository: string | null;
}

/** Whoever holds the token of ASSAY_API_TOKEN_FILE. */
export interface DeploymentPrincipal {
  readonly kind: 'deployment';
}

/** A principal in words, for the audit log and for what it made. */
export function nameOf(principal: Principal): string {
  switch (principal.kind) {
    case 'deployment':
      return 'the deployment';
    case 'service':
      return `token ${principal.tokenId} (${principal.name})`;
    case 'workflow': {
      const { repository, runId, runAttempt, actor } = principal;
      return `workflow run ${runId}.${runAttempt} of ${repository} by ${actor}`;
    }
  }
}

/** The only repository whose runs it may see and make; null: all. */
export function repositoryOf(principal: Principal): string | null {
  return principal.kind === 'deployment' ? null : principal.repository;
}
