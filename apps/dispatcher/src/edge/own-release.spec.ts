import type { DispatchRequest } from '@assay/contracts';
import type { Principal, WorkflowPrincipal } from '../auth/principal';
import { ownRelease } from './own-release.policy';

const workflow: WorkflowPrincipal = {
  ...{ kind: 'workflow', repository: 'acme/agent', repositoryId: '1', ownerId: '2', eventName: 'release' },
  ...{ ref: 'refs/tags/v1.0.0', sha: 'a'.repeat(40), runId: '7', runAttempt: '1', workflowRef: 'w', actor: 'ada' },
};
const service: Principal = { kind: 'service', tokenId: 't', name: 'ci', scopes: ['releases:write'], repository: null };
const request = (over: Partial<DispatchRequest> = {}): DispatchRequest => ({
  ...{ schemaVersion: 'assay.release-request/1', event: 'release', repository: 'acme/agent', releaseTag: 'v1.0.0' },
  ...over,
});

test.each<[string, Principal, DispatchRequest]>([
  ['the release that its job runs on', workflow, request()],
  ['its repository in another spelling', workflow, request({ repository: 'ACME/Agent' })],
  [
    'any tag where a person started it, on whatever branch',
    { ...workflow, eventName: 'workflow_dispatch', ref: 'refs/heads/main' },
    request({ event: 'workflow_dispatch', releaseTag: 'v9.0.0' }),
  ],
  ['anything by hand, for the deployment', { kind: 'deployment' }, request({ event: 'manual', repository: 'b/c' })],
  ['anything by hand, for a token of all repositories', service, request({ event: 'manual', repository: 'b/c' })],
  ['its repository by hand', { ...service, repository: 'acme/agent' }, request({ event: 'manual' })],
])('a caller may hand in %s', (_, principal, given) => {
  expect(ownRelease(principal, given)).toEqual({ answer: 'own' });
});

test.each<[string, Principal, DispatchRequest, string]>([
  ['another repository', workflow, request({ repository: 'acme/agents' }), 'other_repository'],
  [
    'another repository than its token’s',
    { ...service, repository: 'acme/agent' },
    request({ event: 'manual', repository: 'b/c' }),
    'other_repository',
  ],
  ['another event', workflow, request({ event: 'workflow_dispatch' }), 'event_not_own'],
  ['by hand what a workflow does', workflow, request({ event: 'manual' }), 'event_not_own'],
  ['an event that no token proves', { kind: 'deployment' }, request(), 'event_not_own'],
  ['a dispatch that no token proves', service, request({ event: 'workflow_dispatch' }), 'event_not_own'],
  ['another tag', workflow, request({ releaseTag: 'v1.0' }), 'tag_not_own'],
  ['a tag from a branch of its name', { ...workflow, ref: 'refs/heads/v1.0.0' }, request(), 'tag_not_own'],
])('a caller may not hand in %s', (_, principal, given, reason) => {
  expect(ownRelease(principal, given)).toMatchObject({ answer: 'refused', reason });
});
