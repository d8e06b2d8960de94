import { eventually, freshDatabase, TestNats } from '@assay/testing';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  GITHUB_TOKEN,
  MODEL_KEY,
  REPOSITORY,
  scratchFolder,
  TestDeployment,
  type Servers,
} from '../harness/deployment';
import { writeSuite } from '../harness/suite-builder';

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let servers: Servers;
let deployment: TestDeployment;

beforeAll(async () => {
  scratch = await scratchFolder();
  servers = { database: await freshDatabase(), nats: await TestNats.start() };
  const tasks = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
  await writeSuite(scratch.dir, { name: 'quick', agent: 'oracle', tasks, publish: 'counts' });
  await writeSuite(scratch.dir, {
    name: 'slow',
    agent: 'oracle',
    tasks: [
      { id: 'long', solveSeconds: 60 },
      { id: 'longer', solveSeconds: 60 },
    ],
  });
  await writeSuite(scratch.dir, { name: 'broken', agent: 'nop', tasks: [{ id: 'bad-toml' }] });
  await writeFile(
    join(scratch.dir, 'broken-tasks/bad-toml/task.toml'),
    'version = "1.0"\n[agent]\ntimeout_sec = "soon"\n',
  );
  await writeFile(join(scratch.dir, 'wrong.yaml'), 'schema: assay.suite/1\nname: wrong\ncolour: red\n');
  deployment = await TestDeployment.start({ suitesDir: scratch.dir, servers });
}, 120_000);
afterAll(async () => {
  await deployment.stop();
  await servers.nats.stop();
  await servers.database.drop();
  await scratch.remove();
});

const request = {
  suite: 'quick',
  evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
  model: 'm',
  trigger: 'manual',
};

test('the same submission twice is one run; the same key with another body is refused', async () => {
  const headers = { 'idempotency-key': 'twice' };
  const [one, two] = await Promise.all([
    deployment.call('POST', '/v1/runs', request, headers),
    deployment.call('POST', '/v1/runs', request, headers),
  ]);
  const replies = [one, two].map(({ body }) => body as { runId: string; deduplicated: boolean });
  expect(replies[0]?.runId).toBe(replies[1]?.runId);
  expect(replies.map(({ deduplicated }) => deduplicated).sort()).toEqual([false, true]);
  const other = await deployment.call('POST', '/v1/runs', { ...request, limit: 1 }, headers);
  expect(other.status).toBe(409);
  await deployment.finished(replies[0]?.runId ?? '');
}, 60_000);

test('an unknown key, suite and agent are refused by name', async () => {
  const headers = { 'idempotency-key': 'bad' };
  const key = await deployment.call('POST', '/v1/runs', { ...request, colour: 'red' }, headers);
  expect(key.status).toBe(400);
  expect(JSON.stringify(key.body)).toContain('colour');
  const suite = await deployment.call('POST', '/v1/runs', { ...request, suite: 'ghost' }, headers);
  expect(suite.status).toBe(422);
  expect(JSON.stringify(suite.body)).toMatch(/ghost.*quick|quick.*ghost/);
  const agent = await deployment.call('POST', '/v1/runs', { ...request, agent: 'ghost' }, headers);
  expect(agent.status).toBe(422);
  expect(JSON.stringify(agent.body)).toContain('oracle');
});

test.each([
  ['broken', /timeout_sec/],
  ['wrong', /colour/],
])('the suite %s is refused with its field, or its run fails with it; no instance is made', async (suite, field) => {
  const { status, body } = await deployment.call(
    'POST',
    '/v1/runs',
    { ...request, suite },
    { 'idempotency-key': suite },
  );
  if (status !== 202) {
    expect(JSON.stringify(body)).toMatch(field);
    return;
  }
  const { runId } = body as { runId: string };
  await eventually(async () => (await deployment.run(runId)).state === 'FAILED', { timeoutMs: 30_000 });
  expect((await deployment.run(runId)).lastError).toMatch(field);
  expect(await deployment.instances(runId)).toEqual([]);
});

test('cancelling kills what runs, cleans it, and quarantines the run', async () => {
  const { runId } = await deployment.submit({ suite: 'slow' });
  await eventually(async () => (await deployment.instances(runId)).some(({ state }) => state === 'RUNNING_AGENT'), {
    timeoutMs: 30_000,
    what: 'a trial to run',
  });
  const { status, body } = await deployment.call('POST', `/v1/runs/${runId}/cancel`);
  expect(status).toBeLessThan(300);
  expect(body).toMatchObject({ runId, cancelledInstances: 2 });
  const view = await deployment.finished(runId);
  expect(view.state).toBe('QUARANTINED');
  expect(view.counts).toMatchObject({ total: 2, cancelled: 2 });
  const work = join(deployment.dir, 'work/executor-1');
  await eventually(() => filesUnder(work).length === 0, { timeoutMs: 20_000, what: 'the sandboxes to be gone' });
}, 90_000);

test('a release gets its block, once, with counts and the words "not a benchmark score"', async () => {
  const notes = 'Notes of a human.\r\n\r\n<!-- not ours -->  ';
  const release = await deployment.github<{ id: number }>('POST', `/repos/${REPOSITORY}/releases`, {
    tag_name: 'v3.0.0',
    target_commitish: 'a'.repeat(40),
    name: 'three',
    body: notes,
  });
  const target = { repository: REPOSITORY, id: release.id, tag: 'v3.0.0' };
  for (const agent of ['oracle', 'nop']) {
    const { runId } = await deployment.submit({ suite: 'quick', agent, release: target, trigger: 'release' });
    expect((await deployment.finished(runId)).publicationState).toBe('PUBLISHED');
  }
  const { body, assets } = await deployment.github<{ body: string; assets: { name: string }[] }>(
    'GET',
    `/repos/${REPOSITORY}/releases/tags/v3.0.0`,
  );
  expect(body.startsWith(notes)).toBe(true);
  expect(body.match(/<!-- assay:[^>]*:start -->/g)).toHaveLength(1);
  expect(body).toContain('0 / 3, not a benchmark score');
  expect(assets.filter(({ name }) => name.startsWith('assay-'))).toHaveLength(1);
}, 120_000);

test('a release that is not there leaves the run waiting or failed with that reason, never published', async () => {
  const { runId } = await deployment.submit({
    suite: 'quick',
    release: { repository: REPOSITORY, id: 999_999, tag: 'v9.9.9' },
  });
  await eventually(async () => /v9\.9\.9|999999/.test((await deployment.run(runId)).lastError ?? ''), {
    timeoutMs: 30_000,
    what: 'the reason to be shown',
  });
  expect((await deployment.run(runId)).publicationState).not.toBe('PUBLISHED');
}, 60_000);

test('two deployments on one PostgreSQL and one NATS do not touch each other', async () => {
  const other = await TestDeployment.start({ suitesDir: scratch.dir, servers, namespace: 'other' });
  try {
    const [mine, theirs] = await Promise.all([
      deployment.submit({ suite: 'quick' }),
      other.submit({ suite: 'quick', agent: 'nop' }),
    ]);
    expect((await deployment.finished(mine.runId)).counts).toMatchObject({ resolved: 3, unresolved: 0 });
    expect((await other.finished(theirs.runId)).counts).toMatchObject({ resolved: 0, unresolved: 3 });
    expect((await other.call('GET', `/v1/runs/${mine.runId}`)).status).toBe(404);
    expect((await deployment.call('GET', `/v1/runs/${theirs.runId}`)).status).toBe(404);
  } finally {
    await other.stop();
  }
}, 120_000);

test('no secret is found in logs, artifacts, work folders or on the release', async () => {
  const release = await deployment.github<{ id: number }>('POST', `/repos/${REPOSITORY}/releases`, {
    tag_name: 'v4.0.0',
    target_commitish: 'b'.repeat(40),
    name: 'four',
    body: '',
  });
  const { runId } = await deployment.submit({
    suite: 'quick',
    release: { repository: REPOSITORY, id: release.id, tag: 'v4.0.0' },
    trigger: 'release',
  });
  await deployment.finished(runId);
  const texts = [
    ...[...deployment.services.values()].map(({ output }) => output),
    ...filesUnder(join(deployment.dir, 'artifacts')).map((file) => readFileSync(file, 'latin1')),
    ...filesUnder(join(deployment.dir, 'work')).map((file) => readFileSync(file, 'latin1')),
    JSON.stringify(await deployment.github('GET', `/repos/${REPOSITORY}/releases/tags/v4.0.0`)),
  ];
  for (const canary of [GITHUB_TOKEN, MODEL_KEY]) {
    expect(texts.filter((text) => text.includes(canary))).toEqual([]);
  }
}, 60_000);

function filesUnder(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .map((name) => join(dir, name))
      .filter((file) => statSync(file).isFile());
  } catch {
    return []; // a folder that is not there holds no files
  }
}
