import { Scope } from '@assay/contracts';
import type { DeploymentPrincipal, ServicePrincipal, WorkflowPrincipal } from '../principal';

export const SCOPES_OF_ALL = Scope.options;

export const aDeployment = (): DeploymentPrincipal => ({ kind: 'deployment' });

export function aService(over: Partial<ServicePrincipal> = {}): ServicePrincipal {
  return { kind: 'service', tokenId: 'tok-1', name: 'ci', scopes: [], repository: null, ...over };
}

/** The job that `workflowClaims` of libs/testing describes. */
export function aWorkflow(over: Partial<WorkflowPrincipal> = {}): WorkflowPrincipal {
  return {
    kind: 'workflow',
    repository: 'acme/agent',
    repositoryId: '9001',
    ownerId: '7001',
    eventName: 'release',
    ref: 'refs/tags/v1.0.0',
    sha: 'a'.repeat(40),
    runId: '4711',
    runAttempt: '1',
    workflowRef: 'acme/agent/.github/workflows/benchmark.yml@refs/tags/v1.0.0',
    actor: 'octocat',
    ...over,
  };
}
