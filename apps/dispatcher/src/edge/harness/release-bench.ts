import { randomUUID } from 'node:crypto';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DispatchRequest, Receipt } from '@assay/contracts';
import type { RunningService } from '@assay/service-kit';
import { OidcIssuer, PROJECT_ROOT } from '@assay/testing';
import { startGithubStandin, type GithubStandin } from '../../../../../tools/github-standin/server.mjs';
import { call, type Reply, startDispatcher, type Surroundings } from '../../harness/test-dispatcher';
import { NpmStandin } from './npm-standin';

/** As the policy spells it; the stand-in of the issuer gives out its id. */
export const REPOSITORY = 'acme/agent';
export const PACKAGE = '@acme/agent';
export const COMMIT = 'a'.repeat(40);

const POLICY = String.raw`
schema: assay.policy/1
access:
  repositories:
    - name: acme/agent
      id: '9001'
      ownerId: '7001'
      workflows: [.github/workflows/benchmark.yml]
      events: [release, workflow_dispatch]
      refs: ['^refs/tags/.+$', '^refs/heads/main$']
repositories:
  - name: acme/agent
    package: { registry: npm, name: '@acme/agent' }
    rules:
      - { name: by-hand, event: dispatch }
      - name: smoke
        event: release
        prerelease: true
        tag: '^smoke-[0-9a-z-]+$'
        suite: demo
        limit: 1
        chain: [{ suite: python-demo }]
      - { name: stable, event: release, prerelease: false, tag: '^v\d+\.\d+\.0$', suite: demo }
      - { name: ghost, event: release, prerelease: true, tag: '^ghost-v[0-9]+$', suite: ghost }
      - { name: bare, event: release, prerelease: true, tag: '^bare-v[0-9]+$', suite: eas_smoke }
    override: { key: Evaluates, pattern: '^v[0-9]+\.[0-9]+\.[0-9]+$' }
    dispatch: { suites: [demo], suite: demo, limits: [1, 5, 8], limit: 8 }
`;

/** A dispatcher with a GitHub, an issuer of tokens and a registry of its own. */
export interface ReleaseBench {
  readonly around: Surroundings;
  readonly github: GithubStandin;
  readonly npm: NpmStandin;
  readonly issuer: OidcIssuer;
  /** Settings for further dispatchers beside the bench's own. */
  readonly env: Readonly<Record<string, string>>;
}

export async function releaseBench(around: Surroundings): Promise<ReleaseBench> {
  const github = await startGithubStandin({ repositories: [REPOSITORY], check: true });
  const [npm, issuer] = await Promise.all([NpmStandin.start(), OidcIssuer.start()]);
  const policy = join(around.dir, 'policy.yaml');
  await writeFile(policy, POLICY);
  const suites = join(around.dir, 'suites');
  await cp(join(PROJECT_ROOT, 'suites'), suites, { recursive: true });
  await symlink(join(PROJECT_ROOT, 'examples'), join(around.dir, 'examples'));
  await writeFile(join(suites, 'ghost.yaml'), '');
  const env = {
    ASSAY_SUITES_DIR: suites,
    ASSAY_OIDC_ISSUER: issuer.url,
    ASSAY_OIDC_ALLOW_HTTP: 'true',
    ASSAY_OIDC_AUDIENCE: 'assay',
    ASSAY_POLICY_FILE: policy,
    GITHUB_API_URL: github.url,
    NPM_CONFIG_REGISTRY: npm.url,
    ASSAY_PACKAGE_POLL_SECONDS: '0.2',
  };
  return { around, github, npm, issuer, env };
}

export function startBenched({ around, env }: ReleaseBench, more: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  return startDispatcher(around, { ...env, ...more });
}

export async function stopBench({ github, npm, issuer }: ReleaseBench): Promise<void> {
  await Promise.all([github.stop(), npm.stop(), issuer.stop()]);
}

export interface GivenRelease {
  readonly prerelease?: boolean;
  readonly draft?: boolean;
  readonly body?: string;
  readonly commit?: string;
}

/** Publishes a release as a person does; resolves with its id. */
export async function published({ github }: ReleaseBench, tag: string, given: GivenRelease = {}): Promise<number> {
  const { commit = COMMIT, body = '', ...flags } = given;
  const answer = await atGithub(github, 'POST', '/releases', {
    ...{ tag_name: tag, target_commitish: commit, name: tag, body },
    ...flags,
  });
  return ((await answer.json()) as { id: number }).id;
}

/** Moves a tag, as a push by force does. */
export async function moveTag({ github }: ReleaseBench, tag: string, sha: string): Promise<void> {
  await atGithub(github, 'PATCH', `/git/refs/tags/${tag}`, { sha, force: true });
}

export async function deleteRelease({ github }: ReleaseBench, id: number): Promise<void> {
  await atGithub(github, 'DELETE', `/releases/${id}`);
}

async function atGithub(github: GithubStandin, method: string, path: string, body?: object): Promise<Response> {
  const answer = await fetch(`${github.url}/repos/${REPOSITORY}${path}`, {
    method,
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} at the stand-in of GitHub: ${answer.status}`);
  return answer;
}

export function aRequest(releaseTag: string, over: Partial<DispatchRequest> = {}): DispatchRequest {
  return { schemaVersion: 'assay.release-request/1', event: 'manual', repository: REPOSITORY, releaseTag, ...over };
}

export interface Handing {
  readonly key?: string;
  /** Of a workflow or a service; default: the deployment's. */
  readonly token?: string;
}

/** Hands a release in. */
export function handIn(
  service: { readonly url: string },
  body: unknown,
  { key = randomUUID(), token }: Handing = {},
): Promise<Reply> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return call(service, 'POST', '/v1/releases', { body, headers: { 'idempotency-key': key, ...authorization } });
}

/** The receipt of a release that is run. */
export async function receiptFor(
  service: { readonly url: string },
  body: DispatchRequest,
  how: Handing = {},
): Promise<Receipt> {
  const { status, body: answer } = await handIn(service, body, how);
  if (status !== 202) throw new Error(`expected a receipt, got ${status}: ${JSON.stringify(answer)}`);
  return Receipt.parse(answer);
}

/** What the token of a release's workflow claims of its tag. */
export function releaseClaims(tag: string, sha = COMMIT): Readonly<Record<string, unknown>> {
  const ref = `refs/tags/${tag}`;
  const workflow = `${REPOSITORY}/.github/workflows/benchmark.yml@${ref}`;
  return { event_name: 'release', ref, sha, workflow_ref: workflow, job_workflow_ref: workflow };
}
