import { SetMetadata } from '@nestjs/common';
import type { Scope } from '@assay/contracts';
import type { Principal } from './principal';

/** What a route asks of its caller. */
export interface Need {
  readonly scope: Scope;
  /** Workflows may call it, too: it shows and changes nothing but what is their own repository's. */
  readonly workflows: boolean;
}

/** Metadata key of a `Need`. */
export const NEED = Symbol('NEED');

/**
 * Says what a caller of this handler needs. Workflows hand in releases, and are let in nowhere else unless the handler
 * says `workflows: true`: then it must hold itself to `repositoryOf(caller)`.
 */
export function Needs(scope: Scope, { workflows = scope === 'releases:write' } = {}) {
  return SetMetadata(NEED, { scope, workflows } satisfies Need);
}

export type Admission =
  | { readonly answer: 'admitted' }
  | {
      readonly answer: 'refused';
      readonly reason: 'scope_missing' | 'workflow_not_admitted';
      readonly message: string;
    };

/** Whether this principal may call what needs this. */
export function admission(principal: Principal, { scope, workflows }: Need): Admission {
  switch (principal.kind) {
    case 'deployment':
      return { answer: 'admitted' };
    case 'service':
      if (principal.scopes.includes(scope)) return { answer: 'admitted' };
      return { answer: 'refused', reason: 'scope_missing', message: `the token does not have the scope ${scope}` };
    case 'workflow':
      if (workflows) return { answer: 'admitted' };
      return { answer: 'refused', reason: 'workflow_not_admitted', message: 'a workflow may not call this' };
  }
}
