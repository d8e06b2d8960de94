import { RunList } from '@assay/contracts';
import { type ActionStep, eventually, OidcIssuer, runStep, startStep } from '@assay/testing';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY, scratchFolder, TestDeployment } from '../harness/deployment';
import { writeSuite } from '../harness/suite-builder';
import { TlsProxy } from '../harness/tls-proxy';

// The whole pipeline behind a proxy with TLS: what was handed over goes on without the job that handed it over.

const COMMIT = 'c'.repeat(40);
const POLICY = `
schema: assay.policy/1
publication: all
access:
  repositories:
    - name: ${REPOSITORY}
      id: '9001'
      ownerId: '7001'
      workflows: [.github/workflows/benchmark.yml]
      events: [release]
      refs: ['^refs/tags/.+$']
repositories:
  - name: ${REPOSITORY}
    package: { registry: none, name: coding-agent }
    rules:
      - { name: stable, event: release, prerelease: false, tag: '^v[0-9]+\\.[0-9]+\\.0$', suite: quick }
`;

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let issuer: OidcIssuer;
let deployment: TestDeployment;
let proxy: TlsProxy;

beforeAll(async () => {
  scratch = await scratchFolder();
  issuer = await OidcIssuer.start();
  await writeSuite(scratch.dir, {
    name: 'quick',
    agent: 'oracle',
    publish: 'counts',
    tasks: [{ id: 'a' }, { id: 'b' }],
  });
  writeFileSync(join(scratch.dir, 'policy'), POLICY);
  deployment = await TestDeployment.start({
    suitesDir: scratch.dir,
    env: {
      ASSAY_POLICY_FILE: join(scratch.dir, 'policy'),
      ASSAY_OIDC_ISSUER: issuer.url,
      ASSAY_OIDC_ALLOW_HTTP: 'true',
      ASSAY_OIDC_AUDIENCE: 'assay',
    },
  });
  proxy = await TlsProxy.start(deployment.url, scratch.dir);
}, 120_000);
afterEach(() => {
  proxy.beforeAnswer = () => Promise.resolve();
});
afterAll(async () => {
  await proxy.stop();
  await deployment.stop();
  await issuer.stop();
  await scratch.remove();
});

/** The step of the job that a published release starts; a re-run of the job is the same workflow run. */
function step(tag: string, run: number, env: NodeJS.ProcessEnv = {}): ActionStep {
  const ref = `refs/tags/${tag}`;
  const workflow = `${REPOSITORY}/.github/workflows/benchmark.yml@${ref}`;
  issuer.claims = {
    ...{
      repository: REPOSITORY,
      repository_owner: 'example',
      event_name: 'release',
      ref,
      ref_type: 'tag',
      sha: COMMIT,
    },
    ...{ run_id: String(run), workflow_ref: workflow, job_workflow_ref: workflow },
  };
  return {
    event: 'release',
    payload: { action: 'published', release: { tag_name: tag, draft: false, prerelease: false } },
    inputs: { url: proxy.url, audience: 'assay', 'ca-file': proxy.caFile },
    env: {
      ACTIONS_ID_TOKEN_REQUEST_URL: issuer.requestUrl,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: issuer.requestToken,
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_RUN_ID: String(run),
      ...env,
    },
  };
}

async function publish(tag: string): Promise<void> {
  const made = { tag_name: tag, target_commitish: COMMIT, name: tag, body: 'Notes of a human.' };
  await deployment.github('POST', `/repos/${REPOSITORY}/releases`, made);
}

/** The ids of all runs of this release. */
async function runsOf(tag: string): Promise<string[]> {
  const { runs } = RunList.parse((await deployment.call('GET', '/v1/runs')).body);
  return runs.filter(({ release }) => release?.tag === tag).map(({ runId }) => runId);
}

/** The run goes on to its end and onto the release; every later try of the job is the same run. */
async function expectOneRun(tag: string, run: number): Promise<void> {
  const early = await runStep(step(tag, run));
  const [runId = '', ...others] = await runsOf(tag);
  expect(others).toEqual([]);
  expect(early).toMatchObject({ exitCode: 0, outputs: { 'run-id': runId, deduplicated: 'true' } });
  expect(await deployment.finished(runId)).toMatchObject({
    ...{ state: 'SUCCEEDED', publicationState: 'PUBLISHED', counts: { total: 2, resolved: 2 } },
  });
  const late = await runStep(step(tag, run));
  expect(late).toMatchObject({
    ...{ exitCode: 0, outputs: { 'run-id': runId, deduplicated: 'true', status: 'SUCCEEDED' } },
  });
  expect(await runsOf(tag)).toEqual([runId]);
}

test('a job that is killed when the dispatcher has answered, and before it hears of it, leaves one run that goes on', async () => {
  await publish('v1.0.0');
  const answered: number[] = [];
  const running = startStep(step('v1.0.0', 70));
  proxy.beforeAnswer = async (status) => {
    answered.push(status);
    const { kill, done } = await running;
    kill();
    await done;
  };
  expect(await (await running).done).toMatchObject({ signal: 'SIGKILL', outputs: {} });
  expect(answered).toEqual([202]);
  proxy.beforeAnswer = () => Promise.resolve();
  await expectOneRun('v1.0.0', 70);
}, 180_000);

test('a job that is killed with the receipt in its hands leaves one run that goes on', async () => {
  await publish('v1.1.0');
  const output = join(scratch.dir, 'output');
  // Nobody reads the pipe, so the step stands still there: its outputs are written, its summary and its end are to come.
  const summary = join(scratch.dir, 'summary');
  expect(spawnSync('mkfifo', [summary]).status).toBe(0);
  const running = await startStep(step('v1.1.0', 71, { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary }));
  const written = () => (existsSync(output) ? readFileSync(output, 'utf8') : '');
  await eventually(() => /deduplicated<<(\S+)\nfalse\n\1\n/.test(written()), {
    ...{ timeoutMs: 60_000, what: 'the outputs to be written' },
  });
  running.kill();
  expect(await running.done).toMatchObject({ signal: 'SIGKILL', summary: '' });
  expect(written()).toContain((await runsOf('v1.1.0')).join());
  await expectOneRun('v1.1.0', 71);
}, 180_000);
