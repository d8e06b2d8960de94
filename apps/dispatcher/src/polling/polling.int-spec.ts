import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildDigest, RunId, type SubmitRequest } from '@assay/contracts';
import { FileArtifactStore } from '@assay/artifacts';
import { KNOWN_AGENTS } from '@assay/agents';
import { claimWaitingRun, getRun, insertSubmission, type RunRow } from '@assay/persistence';
import { eventually, PROJECT_ROOT } from '@assay/testing';
import { startGithubStandin, type GithubStandin } from '../../../../tools/github-standin/server.mjs';
import {
  aSubmission,
  clearedAway,
  NAMESPACE,
  reached,
  runOf,
  startDispatcher,
  submit,
  surroundings,
  type Surroundings,
} from '../harness/test-dispatcher';
import { preflightOf } from '../preflight/preflight-of';
import { SuiteLibrary } from '../suites/suite-library';
import { PackageRegistry } from './package-registry';
import { RunFreezer } from './run-freezer';

const never = new AbortController().signal;
const repository = 'example/coding-agent';
let around: Surroundings;
let github: GithubStandin;

beforeEach(async () => {
  around = await surroundings();
  github = await startGithubStandin({ repositories: [repository] });
});
afterEach(async () => {
  await github.stop();
  await clearedAway(around);
});

/** Stores a submission as the HTTP side does, without any dispatcher that would freeze it. */
async function stored(id: string, over: Partial<SubmitRequest> = {}): Promise<RunRow> {
  const runId = RunId.parse(id);
  const request = aSubmission(over);
  const submission = { runId, repository: '', idempotencyKey: id, request, origin: null, traceparent: null };
  return (await insertSubmission(around.database, submission)).run;
}

async function count(table: string): Promise<number> {
  const [row] = await around.database.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return row?.n ?? -1;
}

async function release(tag: string): Promise<number> {
  const answer = await fetch(`${github.url}/repos/${repository}/releases`, {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ tag_name: tag, target_commitish: 'a'.repeat(40), name: tag, body: '' }),
  });
  return ((await answer.json()) as { id: number }).id;
}

function freezer(): RunFreezer {
  return new RunFreezer({
    database: around.database,
    library: new SuiteLibrary(join(PROJECT_ROOT, 'suites'), KNOWN_AGENTS),
    artifacts: new FileArtifactStore({ dir: join(around.dir, 'artifacts'), namespace: NAMESPACE }),
    releases: null,
    packages: new PackageRegistry(null),
    buildDigest: BuildDigest.parse('b'.repeat(64)),
    preflight: preflightOf({ ASSAY_REGISTRY_ACCESS: 'off' }),
    sandbox: 'process',
  });
}

describe('nothing is lost', () => {
  test('when a dispatcher dies between storing a submission and freezing it', async () => {
    await stored('run-1');
    const service = await startDispatcher(around);
    await reached(service, 'run-1', 'QUEUED');
  });

  test('when a dispatcher dies with a run in its hands: the run is due again after the lease', async () => {
    await stored('run-1');
    const held = await claimWaitingRun(around.database, { leaseSeconds: 1 });
    expect(held?.id).toBe('run-1');
    const service = await startDispatcher(around);
    expect((await runOf(service, 'run-1')).state).toBe('WAITING');
    await reached(service, 'run-1', 'QUEUED');
  });

  test('when a dispatcher is stopped while GitHub lets it wait: it ends at once, and leaves the run as it was', async () => {
    const id = await release('v1.0.0');
    github.fault({ kind: 'hang', method: 'GET', times: 1 });
    const slow = await startDispatcher(around, { GITHUB_API_URL: github.url });
    const { runId } = await submit(slow, { release: { repository, id, tag: 'v1.0.0' } });
    await eventually(() => github.requests.some(({ method }) => method === 'GET'), { what: 'it to wait for GitHub' });
    const begun = Date.now();
    await slow.stop();
    expect(Date.now() - begun).toBeLessThan(5_000);
    expect(await getRun(around.database, RunId.parse(runId))).toMatchObject({ state: 'WAITING', lastError: null });
    await reached(await startDispatcher(around, { GITHUB_API_URL: github.url }), runId, 'QUEUED');
  });

  test('when a dispatcher hangs over a run: another freezes it, and the late one changes nothing', async () => {
    const id = await release('v1.0.0');
    github.fault({ kind: 'hang', method: 'GET', times: 1 });
    const slow = await startDispatcher(around, { GITHUB_API_URL: github.url });
    const { runId } = await submit(slow, { release: { repository, id, tag: 'v1.0.0' } });
    await eventually(() => github.requests.some(({ method }) => method === 'GET'), { what: 'the slow one to hang' });
    const other = await startDispatcher(around, { GITHUB_API_URL: github.url });
    await reached(other, runId, 'QUEUED');
    expect([await count('instances'), await count('outbox'), await count('publications')]).toEqual([8, 1, 1]);
  }, 60_000);
});

describe('a run is frozen once', () => {
  test('by three pollers that hold it at the same time', async () => {
    const run = await stored('run-1');
    const frozen = await Promise.all([freezer(), freezer(), freezer()].map((one) => one.freeze(run, never)));
    expect(frozen.map(({ queued }) => queued).sort()).toEqual([false, false, true]);
    expect([await count('instances'), await count('outbox')]).toEqual([8, 1]);
    expect(await freezer().freeze(run, never)).toMatchObject({ queued: false });
    expect([await count('instances'), await count('outbox')]).toEqual([8, 1]);
  });

  test('and each of many once, by three dispatchers', async () => {
    for (let n = 0; n < 12; n += 1) await stored(`run-${n}`);
    const [service] = await Promise.all([startDispatcher(around), startDispatcher(around), startDispatcher(around)]);
    for (let n = 0; n < 12; n += 1) await reached(service, `run-${n}`, 'QUEUED');
    expect([await count('instances'), await count('outbox')]).toEqual([96, 12]);
  });

  test('and not at all when it was cancelled meanwhile', async () => {
    const run = await stored('run-1');
    await around.database.query(`update runs set state = 'CANCELLED', finished_at = now() where id = 'run-1'`);
    expect(await freezer().freeze(run, never)).toMatchObject({ queued: false });
    expect([await count('instances'), await count('outbox')]).toEqual([0, 0]);
  });
});

test('a manifest holds the submission, the build, and one bundle in the store for each instance', async () => {
  const run = await stored('run-1', { agent: 'oracle', limit: 3, maxAttempts: 2, backoffSeconds: 7, model: 'm' });
  await freezer().freeze(run, never);
  const [row] = await around.database.query<{
    manifest: { instances: { bundle: { digest: string; size: number } }[] };
  }>('select manifest from runs');
  expect(row?.manifest).toMatchObject({
    agent: { name: 'oracle' },
    model: { name: 'm' },
    retry: { maxAttempts: 2, backoffSeconds: 7 },
    sandbox: 'process',
    buildDigest: 'b'.repeat(64),
    evaluated: run.request.evaluated,
  });
  const store = new FileArtifactStore({ dir: join(around.dir, 'artifacts'), namespace: NAMESPACE });
  const sizes = await Promise.all((row?.manifest.instances ?? []).map(({ bundle }) => store.stat(bundle.digest)));
  expect(sizes).toEqual(row?.manifest.instances.map(({ bundle }) => bundle.size));
  expect(sizes).toHaveLength(3);
});

describe('a submission that can never be measured fails with the reason, and makes no instance', () => {
  test('a suite file with mistakes, all of them named', async () => {
    const suites = join(around.dir, 'suites');
    await mkdir(suites);
    await writeFile(join(suites, 'wrong.yaml'), 'schema: assay.suite/1\nname: wrong\ncolour: red\n');
    const service = await startDispatcher(around, { ASSAY_SUITES_DIR: suites });
    const { runId } = await submit(service, { suite: 'wrong' });
    const { lastError, finishedAt } = await reached(service, runId, 'FAILED');
    expect(lastError).toMatch(/3:1 colour: no such key/);
    expect(lastError).toContain('errorThreshold');
    expect(finishedAt).not.toBeNull();
  });

  test('a release that has another tag', async () => {
    const id = await release('v1.0.0');
    const service = await startDispatcher(around, { GITHUB_API_URL: github.url });
    const { runId } = await submit(service, { release: { repository, id, tag: 'v2.0.0' } });
    expect((await reached(service, runId, 'FAILED')).lastError).toContain('has the tag v1.0.0, not v2.0.0');
  });
});

describe('a submission that cannot be measured yet waits with the reason, and goes on by itself', () => {
  test('when its release is not there, while others are frozen', async () => {
    const service = await startDispatcher(around, { GITHUB_API_URL: github.url });
    const wanted = { repository, id: 999_999, tag: 'v9.9.9' };
    const { runId } = await submit(service, { release: wanted });
    await eventually(async () => (await runOf(service, runId)).lastError !== null, { what: 'a reason to be shown' });
    expect(await runOf(service, runId)).toMatchObject({ state: 'WAITING', release: wanted });
    expect((await runOf(service, runId)).lastError).toContain('v9.9.9 (999999)');
    await reached(service, (await submit(service)).runId, 'QUEUED');
    await eventually(async () => ((await getRun(around.database, runId))?.pollTries ?? 0) >= 2, {
      what: 'a second look',
    });
  });

  test('when GitHub fails for a while', async () => {
    const id = await release('v1.0.0');
    github.fault({ kind: 'answer', method: 'GET', status: 502, body: { message: 'Bad gateway' }, times: 2 });
    const service = await startDispatcher(around, { GITHUB_API_URL: github.url });
    const { runId } = await submit(service, { release: { repository, id, tag: 'v1.0.0' } });
    expect(await reached(service, runId, 'QUEUED')).toMatchObject({ lastError: null, publicationState: 'PENDING' });
  });

  test('when the folder of suites is gone for a while', async () => {
    const suites = join(around.dir, 'suites');
    await stored('run-1', { suite: 'here' });
    const service = await startDispatcher(around, { ASSAY_SUITES_DIR: suites });
    await eventually(async () => (await runOf(service, 'run-1')).lastError !== null, { what: 'a reason to be shown' });
    expect(await runOf(service, 'run-1')).toMatchObject({ state: 'WAITING' });
    await mkdir(`${suites}.next`);
    await writeFile(
      join(`${suites}.next`, 'here.yaml'),
      `schema: assay.suite/1
name: here
title: Here
dataset: { name: d, revision: "1" }
source: { kind: harbor, path: ${join(PROJECT_ROOT, 'examples/tasks')} }
publish: none
errorThreshold: 1
sandbox: any
agent: { name: nop }
`,
    );
    await rename(`${suites}.next`, suites);
    expect(await reached(service, 'run-1', 'QUEUED')).toMatchObject({ lastError: null, counts: { total: 8 } });
  });
});

test('without a release nothing is asked of GitHub, and nothing is to be published', async () => {
  const service = await startDispatcher(around, { GITHUB_API_URL: github.url });
  const { runId } = await submit(service);
  expect(await reached(service, runId, 'QUEUED')).toMatchObject({ publicationState: 'NONE' });
  expect(github.requests).toEqual([]);
});
