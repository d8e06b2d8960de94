import { WorkflowClaims } from '@assay/github';
import type { AccessPolicy } from '@assay/release-policy';
import { workflowClaims } from '@assay/testing';
import { allowedWorkflow, type WorkflowRefusal } from './allowed-workflow';

const entry: AccessPolicy['repositories'][number] = {
  name: 'acme/agent',
  id: '9001',
  ownerId: '7001',
  workflows: ['.github/workflows/benchmark.yml'],
  events: ['release', 'workflow_dispatch'],
  refs: [String.raw`^refs/tags/v\d+\.\d+\.\d+$`, '^refs/heads/main$'],
};
const other = { ...entry, name: 'acme/other', id: '9002', events: ['release' as const] };
const access = { repositories: [other, entry] };
const claims = (over: Partial<Record<keyof WorkflowClaims, string>> = {}): WorkflowClaims =>
  WorkflowClaims.parse({ ...workflowClaims('https://issuer'), ...over });

test('a job that the policy lists in every respect is allowed, under the name of the policy', () => {
  expect(allowedWorkflow(access, claims())).toEqual({ answer: 'allowed', repository: 'acme/agent' });
  const upper = {
    repository: 'Acme/Agent',
    workflow_ref: 'Acme/Agent/.github/workflows/benchmark.yml@refs/tags/v2.0.0',
  };
  expect(allowedWorkflow(access, claims({ ...upper, job_workflow_ref: upper.workflow_ref }))).toEqual({
    answer: 'allowed',
    repository: 'acme/agent',
  });
});

test.each<[string, Partial<Record<keyof WorkflowClaims, string>>, WorkflowRefusal]>([
  [
    'a fork, which has a number of its own',
    { repository: 'mallory/agent', repository_id: '5' },
    'repository_not_allowed',
  ],
  ['the same name under another owner', { repository_owner_id: '6' }, 'repository_not_allowed'],
  ['a name that was given up and taken again', { repository_id: '9999' }, 'repository_not_allowed'],
  ['a repository that was renamed', { repository: 'acme/agent2' }, 'repository_renamed'],
  ['a pull request', { event_name: 'pull_request' }, 'event_not_allowed'],
  ['a pull request with the rights of its target', { event_name: 'pull_request_target' }, 'event_not_allowed'],
  [
    'a listed event of another repository',
    { event_name: 'workflow_dispatch', repository: 'acme/other', repository_id: '9002' },
    'event_not_allowed',
  ],
  ['a branch', { ref: 'refs/heads/v1.0.0' }, 'ref_not_allowed'],
  ["a pull request's ref", { ref: 'refs/pull/1/merge' }, 'ref_not_allowed'],
  ['another workflow', workflow('acme/agent/.github/workflows/evil.yml@refs/tags/v1.0.0'), 'workflow_not_allowed'],
  [
    'the workflow as a branch has it',
    workflow('acme/agent/.github/workflows/benchmark.yml@refs/heads/x'),
    'workflow_not_allowed',
  ],
  [
    'the workflow of a fork',
    workflow('mallory/agent/.github/workflows/benchmark.yml@refs/tags/v1.0.0'),
    'workflow_not_allowed',
  ],
  ['a workflow without a ref', workflow('acme/agent/.github/workflows/benchmark.yml'), 'workflow_not_allowed'],
  [
    'a workflow with a ref that only begins as a listed one',
    workflow('acme/agent/.github/workflows/benchmark.yml@refs/heads/main@x'),
    'workflow_not_allowed',
  ],
  ['no workflow at all', workflow('@refs/heads/main'), 'workflow_not_allowed'],
  [
    'a listed workflow that calls a foreign one',
    { job_workflow_ref: 'mallory/x/.github/workflows/a.yml@refs/heads/main' },
    'workflow_not_allowed',
  ],
  [
    'a workflow that is not listed and calls a listed one',
    { workflow_ref: 'acme/agent/.github/workflows/evil.yml@refs/tags/v1.0.0' },
    'workflow_not_allowed',
  ],
])('%s is refused', (_name, over, reason) => {
  const answer = allowedWorkflow(access, claims(over));
  expect(answer).toMatchObject({ answer: 'refused', reason });
});

test('a policy that lists nothing allows nothing', () => {
  expect(allowedWorkflow({ repositories: [] }, claims()).answer).toBe('refused');
  const bare = { ...entry, events: [], refs: [], workflows: [] };
  expect(allowedWorkflow({ repositories: [bare] }, claims()).answer).toBe('refused');
});

test('a refusal names what was not listed, and whose', () => {
  expect(allowedWorkflow(access, claims({ event_name: 'push' }))).toMatchObject({
    message: 'the policy does not list the event push of acme/agent',
  });
  expect(allowedWorkflow(access, claims({ repository_id: '1' }))).toMatchObject({
    message: 'the policy does not list acme/agent (id 1, owner id 7001)',
  });
});

function workflow(ref: string): Partial<Record<keyof WorkflowClaims, string>> {
  return { workflow_ref: ref, job_workflow_ref: ref };
}
