import type { InstanceView, RunView } from '@assay/contracts';
import { eventually } from '@assay/testing';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrokenCollector } from '../harness/broken-collector';
import { GITHUB_TOKEN, REPOSITORY, scratchFolder, TestDeployment } from '../harness/deployment';
import { writeSuite } from '../harness/suite-builder';

// What fails after the commit that made an instance or a run terminal changes neither: the artifact store, the status on
// GitHub, telemetry. All of it with the real processes, and with a collector that never takes a span.

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let collector: BrokenCollector;
let deployment: TestDeployment;

beforeAll(async () => {
  scratch = await scratchFolder();
  collector = await BrokenCollector.start();
  await writeSuite(scratch.dir, { name: 'quick', agent: 'oracle', tasks: [{ id: 'a' }], publish: 'counts' });
  await writeSuite(scratch.dir, {
    name: 'uneven',
    agent: 'oracle',
    tasks: [{ id: 'first' }, { id: 'second', solveSeconds: 4 }],
  });
  deployment = await TestDeployment.start({
    suitesDir: scratch.dir,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  });
}, 120_000);
afterAll(async () => {
  await deployment.stop();
  await collector.stop();
  await scratch.remove();
});

/** All that is decided with a run; what is told of its publication is left out. */
async function decided(runId: string): Promise<[Partial<RunView>, InstanceView[]]> {
  const { publicationState: _state, lastError: _error, publicationRetryAt: _at, ...rest } = await deployment.run(runId);
  return [rest, await deployment.instances(runId)];
}

/** A run of a new release that is over, while its publication fails for the reason that `broken` makes. */
async function publishedInTrouble(
  tag: string,
): Promise<{ runId: string; before: Awaited<ReturnType<typeof decided>> }> {
  await deployment.service('publisher').end();
  const { id } = await deployment.github<{ id: number }>('POST', `/repos/${REPOSITORY}/releases`, {
    tag_name: tag,
    target_commitish: 'a'.repeat(40),
    name: tag,
    body: '',
  });
  const release = { repository: REPOSITORY, id, tag };
  const { runId } = await deployment.submit({ suite: 'quick', release, trigger: 'release' });
  await eventually(async () => (await deployment.run(runId)).state === 'SUCCEEDED', { timeoutMs: 60_000 });
  return { runId, before: await decided(runId) };
}

/** Starts the publisher and waits until its trouble is shown. */
async function troubled(runId: string, error: RegExp): Promise<void> {
  await deployment.add('publisher');
  await shown(runId, error);
}

async function shown(runId: string, error: RegExp): Promise<void> {
  await eventually(async () => error.test((await deployment.run(runId)).lastError ?? ''), {
    timeoutMs: 60_000,
    what: 'the trouble to be shown',
  });
}

function breakGithub(): Promise<unknown> {
  return deployment.github('POST', '/_standin/faults', {
    kind: 'answer',
    status: 500,
    path: '^/repos/',
    times: 10_000,
  });
}

async function mendGithub(): Promise<void> {
  const headers = { authorization: `Bearer ${GITHUB_TOKEN}` };
  expect((await fetch(`${deployment.githubUrl}/_standin/faults`, { method: 'DELETE', headers })).status).toBe(204);
}

/** Puts a plain file in the place of the artifact store's folder; resolves with how to bring it back. */
async function loseArtifacts(): Promise<() => Promise<void>> {
  const [store, away] = [join(deployment.dir, 'artifacts'), join(deployment.dir, 'artifacts-away')];
  await rename(store, away);
  await writeFile(store, 'no folder');
  return async () => {
    await rm(store);
    await rename(away, store);
  };
}

test('GitHub that fails after the run’s end changes neither run nor instance, and the status comes later', async () => {
  const { runId, before } = await publishedInTrouble('v1.0.0');
  await breakGithub();
  await troubled(runId, /500|github/i);
  expect(await decided(runId)).toEqual(before);
  await mendGithub();
  expect((await deployment.finished(runId)).publicationState).toBe('PUBLISHED');
  expect(await decided(runId)).toEqual(before);
}, 180_000);

test('an artifact store that fails after the run’s end changes neither run nor instance', async () => {
  const { runId, before } = await publishedInTrouble('v2.0.0');
  // A publisher does not start without its store: it is lost under one that waits for GitHub.
  await breakGithub();
  await troubled(runId, /500|github/i);
  const bringBack = await loseArtifacts();
  await mendGithub();
  await shown(runId, /artifact/);
  expect(await decided(runId)).toEqual(before);
  await bringBack();
  expect((await deployment.finished(runId)).publicationState).toBe('PUBLISHED');
  expect(await decided(runId)).toEqual(before);
}, 180_000);

test('an artifact store that fails after an instance’s end costs the others time, and does not change the one', async () => {
  const { runId } = await deployment.submit({ suite: 'uneven' });
  const instance = async (id: string): Promise<InstanceView | undefined> =>
    (await deployment.instances(runId)).find(({ instanceId }) => instanceId === id);
  await eventually(async () => (await instance('first'))?.state === 'RESOLVED', { timeoutMs: 60_000 });
  const before = await instance('first');
  const bringBack = await loseArtifacts();
  await eventually(async () => (await instance('second'))?.history.some(({ state }) => state === 'FAILED') === true, {
    timeoutMs: 60_000,
    what: 'the other instance to meet the loss',
  });
  expect(await instance('first')).toEqual(before);
  await bringBack();
  expect((await deployment.finished(runId)).counts).toMatchObject({ total: 2, resolved: 2 });
  expect(await instance('first')).toEqual(before);
  const failed = (await instance('second'))?.history.find(({ state }) => state === 'FAILED');
  expect(failed?.failure).toMatchObject({ blame: 'infra' });
}, 180_000);

test('a collector that refuses or hangs is told of in the log, delays no end, and changes nothing', async () => {
  const { runId } = await deployment.submit({ suite: 'quick' });
  expect(await deployment.finished(runId)).toMatchObject({ state: 'SUCCEEDED', counts: { total: 1, resolved: 1 } });
  const before = await decided(runId);
  expect(collector.requests).toBeGreaterThan(2);
  const told = (name: string): boolean =>
    deployment.service(name).lines.some(({ msg }) => msg === 'telemetry has a problem');
  await eventually(() => told('coordinator') && told('dispatcher'), { what: 'the trouble to be logged' });
  for (const name of ['coordinator', 'executor-1', 'grader', 'publisher']) {
    expect([name, await deployment.service(name).end('SIGTERM')]).toEqual([name, 0]);
  }
  expect(await decided(runId)).toEqual(before);
}, 120_000);
