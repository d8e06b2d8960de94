import { type ActionStep, eventually, runStep, startStep, type EndedStep } from '@assay/testing';
import { type PublishedRelease, RELEASED, ReleaseEdge } from '../harness/release-edge';

let edge: ReleaseEdge;
let serial = 100;

beforeAll(async () => {
  edge = await ReleaseEdge.start();
}, 120_000);
afterAll(async () => {
  expect(edge.github.problems).toEqual([]);
  await edge.stop();
});

interface Job {
  readonly event: 'release' | 'workflow_dispatch';
  readonly tag: string;
  readonly release?: Omit<PublishedRelease, 'tag'>;
  readonly inputs?: Readonly<Record<string, string>>;
  /** The workflow run; a re-run of jobs has that of the run before. */
  readonly run?: number;
}

/** The step of a job, and the token that GitHub would give it. */
function step({ event, tag, release = {}, inputs = {}, run = (serial += 1) }: Job): ActionStep {
  const ref = event === 'release' ? `refs/tags/${tag}` : 'refs/heads/main';
  const workflow = `${RELEASED}/.github/workflows/release-benchmark.yml@${ref}`;
  edge.issuer.claims = {
    repository: RELEASED,
    repository_owner: 'QwenLM',
    event_name: event,
    ref,
    ref_type: event === 'release' ? 'tag' : 'branch',
    sha: 'c'.repeat(40),
    run_id: String(run),
    workflow_ref: workflow,
    job_workflow_ref: workflow,
  };
  return {
    event,
    payload: { action: 'published', release: { tag_name: tag, draft: false, prerelease: false, ...release } },
    inputs: { url: edge.url, audience: 'assay', 'ca-file': edge.caFile, 'retry-delay-seconds': '0.1', ...inputs },
    env: {
      ACTIONS_ID_TOKEN_REQUEST_URL: edge.issuer.requestUrl,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: edge.issuer.requestToken,
      GITHUB_REPOSITORY: RELEASED,
      GITHUB_RUN_ID: String(run),
    },
  };
}

async function published(tag: string, release: Omit<PublishedRelease, 'tag'> = {}): Promise<EndedStep> {
  await edge.publish({ tag, ...release });
  return runStep(step({ event: 'release', tag, release }));
}

const NOTES = 'Notes\r\n\r\nBenchmark-Qwen-Ref: v0.21.15\r\n';

test.each([
  ['v0.23.0', false, 'dsw_release_swe_verified_v1'],
  ['dsw-eas-smoke-20260812-281542bfdc', true, 'dsw_release_swe_verified_v1'],
  ['dsw-eas-tb-smoke-20260820-r2', true, 'swe_verified_smoke'],
  ['dsw-eas-full-20260821-r1', true, 'dsw_release_swe_verified_v1'],
])('the published release %s (prerelease: %s) starts one run of %s', async (tag, prerelease, suite) => {
  const before = await edge.runTags();
  const { exitCode, log, outputs, summary } = await published(tag, { prerelease, body: NOTES });
  expect({ exitCode, log }).toMatchObject({ exitCode: 0, log: expect.stringContaining('Handed over') as string });
  expect(outputs).toMatchObject({ status: 'WAITING', deduplicated: 'false' });
  expect(outputs['run-url']).toBe(`${edge.url}/v1/runs/${outputs['run-id'] ?? ''}`);
  expect(summary).toContain(suite.replaceAll('_', '&#95;'));
  expect(await edge.runTags()).toEqual([...before, tag].sort());
});

test.each([
  ['v0.21.15', false],
  ['v1.2.0', true],
  ['v0.23.0-preview.0', true],
  ['v0.20.0-nightly.20260722.b98306b7e', true],
  ['sdk-typescript-v0.1.0', false],
  ['desktop-v1.2.0', false],
  ['pr6633-screenshots', false],
  ['dsw-manual-poc-20260727-1', true],
])('the published release %s (prerelease: %s) starts nothing, and the reason is told', async (tag, prerelease) => {
  const before = await edge.runTags();
  const { exitCode, log, outputs } = await published(tag, { prerelease, body: NOTES });
  expect(exitCode).toBe(0);
  expect(log).toContain(`::notice::Skipping benchmark for ${tag}: no rule of ${RELEASED} takes the`);
  expect(outputs).toMatchObject({ status: 'SKIPPED', 'run-id': '' });
  expect(await edge.runTags()).toEqual(before);
});

test('a re-run of the jobs finds the run again, another workflow_dispatch starts another', async () => {
  await edge.publish({ tag: 'dsw-manual-poc-1', prerelease: true, body: NOTES });
  const inputs = { 'release-tag': 'dsw-manual-poc-1', suite: 'swe_verified_smoke', limit: '1', 'chain-limit': '1' };
  const job = { event: 'workflow_dispatch', tag: 'dsw-manual-poc-1', inputs } as const;
  const first = await runStep(step({ ...job, run: 50 }));
  const again = await runStep(step({ ...job, run: 50 }));
  const other = await runStep(step({ ...job, run: 51 }));
  expect([first, again, other].map(({ outputs }) => outputs['deduplicated'])).toEqual(['false', 'true', 'false']);
  expect(again.outputs['run-id']).toBe(first.outputs['run-id']);
  expect(other.outputs['run-id']).not.toBe(first.outputs['run-id']);
});

test('a job that is killed before the receipt starts at most one run, which its re-run finds', async () => {
  await edge.publish({ tag: 'v0.24.0' });
  const job = { event: 'release', tag: 'v0.24.0', run: 60 } as const;
  const running = await startStep(step(job));
  running.kill();
  expect(await running.done).toMatchObject({ signal: 'SIGKILL', outputs: {} });
  const { exitCode, outputs } = await runStep(step(job));
  expect({ exitCode, status: outputs['status'] }).toEqual({ exitCode: 0, status: 'WAITING' });
  await eventually(async () => (await edge.runTags()).filter((tag) => tag === 'v0.24.0').length === 1);
});

test('a job of another repository, workflow or event is refused, and starts nothing', async () => {
  const before = await edge.runTags();
  const refused = async (claims: Record<string, unknown>) => {
    const job = step({ event: 'release', tag: 'v0.23.0' });
    edge.issuer.claims = { ...edge.issuer.claims, ...claims };
    return runStep(job);
  };
  for (const claims of [
    { repository_id: '9002' },
    { event_name: 'pull_request' },
    { job_workflow_ref: `${RELEASED}/.github/workflows/other.yml@refs/tags/v0.23.0` },
  ]) {
    const { exitCode, log } = await refused(claims);
    expect(exitCode).toBe(1);
    expect(log).toMatch(/^::error::the dispatcher answered 40[13]: /);
  }
  expect(await edge.runTags()).toEqual(before);
});
