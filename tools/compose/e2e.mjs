#!/usr/bin/env node
/**
 * `npm run e2e:compose`: the compose file, run for real. Builds every image from what this machine has, starts the
 * system with ten executors, runs the demo suite in Docker sandboxes, kills one executor in the middle, and checks what
 * a user would: every instance terminal, the block on the release, the notes around it unchanged, traces of every
 * service. Needs Docker, docker-compose and, for the base image, root and debootstrap.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { freePort, run } from '../embedded/processes.mjs';
import { findNatsServer } from '../embedded/nats.mjs';
import { dockerBase } from '../images/choose.mjs';
import { BASE_TAG, buildBase, hasImage } from '../images/base.mjs';
import { ensureInstalled, inherit, root } from '../install/ensure.mjs';
import { prepareApp, prepareNats, preparePostgres } from './context.mjs';
import { composeDir, prepareSecrets } from './secrets.mjs';

const EXECUTORS = 10;
const PROJECT = `assay-e2e-${process.pid}`;
const NOTES = '## What is new\r\n\r\n- one thing  \r\n';
const REPOSITORY = 'example/coding-agent';
const TAG = 'v1.0.0';
const COMMIT = '4f1c2d3e5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d';
const TERMINAL = ['SUCCEEDED', 'QUARANTINED', 'FAILED', 'CANCELLED'];

const say = (line) => process.stdout.write(`e2e:compose: ${line}\n`);
const started = Date.now();
// Timers of time-outs alone do not keep a process: without this one it would end in the middle of a wait.
const keep = setInterval(() => {}, 60_000);
const elapsed = () => `${Math.round((Date.now() - started) / 1000)} s`;

await ensureInstalled();
const base = await dockerBase({ note: say });
if ('missing' in base) throw new Error(base.missing);
const docker = new Docker();
if (!(await hasImage(docker, BASE_TAG))) await buildBase(docker, BASE_TAG, say);
say('building');
await inherit('npx', ['nx', 'run-many', '-t', 'build', '--parallel=2', '--output-style=static'], {
  env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
await prepareApp();
await prepareNats((await findNatsServer({ note: say })).binary);
await preparePostgres();
const ports = { api: await freePort(), github: await freePort(), collector: await freePort() };
const { keys } = prepareSecrets({
  ASSAY_PORT: ports.api,
  GITHUB_STANDIN_PORT: ports.github,
  JAEGER_PORT: ports.collector,
  ASSAY_TIME_SCALE: '0.15',
  ASSAY_NAMESPACE: `e2e${process.pid}`,
  ASSAY_BASE_IMAGE: BASE_TAG,
});

const compose = (args, options) =>
  inherit(
    'docker-compose',
    [
      '--env-file',
      join(composeDir, 'env'),
      '-p',
      PROJECT,
      '-f',
      join(root, 'docker-compose.yml'),
      '-f',
      join(root, 'deploy/compose/docker-compose.local.yml'),
      ...args,
    ],
    options,
  );

const api = caller(`http://127.0.0.1:${ports.api}`, keys['api-token']);
const github = caller(`http://127.0.0.1:${ports.github}`, keys['github-token']);

try {
  say(`building images (${elapsed()})`);
  await buildImages();
  say(`starting ${EXECUTORS} executors (${elapsed()})`);
  await compose(['up', '-d', '--no-build', '--scale', `executor=${EXECUTORS}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await until(
    'the API answers',
    async () => (await fetch(`http://127.0.0.1:${ports.api}/readyz`, bounded())).ok,
    180_000,
  );
  await scenario();
  say(`passed after ${elapsed()}`);
} catch (error) {
  await compose(['logs', '--no-color', '--tail=60']).catch(() => {});
  throw error;
} finally {
  await compose(['down', '-v', '--remove-orphans', '-t', '5'], { stdio: ['ignore', 'ignore', 'inherit'] });
  clearInterval(keep);
}

async function scenario() {
  const release = await until('the stand-in of GitHub takes a release', () =>
    github('POST', `/repos/${REPOSITORY}/releases`, {
      tag_name: TAG,
      target_commitish: COMMIT,
      name: 'One',
      body: NOTES,
    }),
  );
  const submitted = await api(
    'POST',
    '/v1/runs',
    {
      suite: 'demo',
      evaluated: { ref: TAG, commit: COMMIT, packageVersion: '1.0.0' },
      model: 'demo-model',
      trigger: 'release',
      release: { repository: REPOSITORY, id: release.id, tag: TAG },
    },
    { 'idempotency-key': randomUUID() },
  );
  say(`submitted ${submitted.runId} (${elapsed()})`);
  const victim = await until('a trial runs', () => runningTrial(submitted.runId), 120_000);
  say(`killing executor ${victim.slice(0, 12)} (${elapsed()})`);
  await docker.getContainer(victim).kill({ signal: 'SIGKILL' });
  const done = await until(
    'the result stands on the release',
    async () => {
      const view = await api('GET', `/v1/runs/${submitted.runId}`);
      return TERMINAL.includes(view.state) && !['PENDING', 'WRITTEN'].includes(view.publicationState) ? view : null;
    },
    400_000,
  );
  assert.equal(done.state, 'SUCCEEDED', JSON.stringify(done.result?.reasons));
  assert.equal(done.publicationState, 'PUBLISHED');
  const { instances } = await api('GET', `/v1/runs/${submitted.runId}/instances`);
  assert.equal(instances.length, 8);
  const states = instances.map(({ state }) => state);
  assert.ok(states.filter((state) => state === 'RESOLVED').length >= 3, `resolved: ${states}`);
  assert.ok(states.includes('UNRESOLVED') && states.includes('EXECUTION_ERROR'), `states: ${states}`);
  const lost = instances.flatMap(({ history }) => history).filter(({ state }) => state === 'LOST');
  assert.ok(lost.length >= 1, 'the killed executor left an attempt that is LOST');
  const { body } = await github('GET', `/repos/${REPOSITORY}/releases/tags/${TAG}`);
  assert.ok(body.startsWith(NOTES), 'the notes before the block are unchanged');
  assert.match(body, /\d \/ 8, not a benchmark score/);
  const workers = new Set(instances.flatMap(({ history }) => history).map(({ worker }) => worker));
  say(`${workers.size} workers took part; states: ${states.join(' ')}`);
  const spans = await until('spans of every service arrive', async () => {
    const all = await (await fetch(`http://127.0.0.1:${ports.collector}/spans`, bounded())).json();
    const services = new Set(all.map(({ service }) => service));
    return ['dispatcher', 'coordinator', 'executor', 'grader', 'publisher'].every((name) =>
      [...services].some((service) => service?.includes(name)),
    )
      ? all
      : null;
  });
  say(`${spans.length} spans in ${new Set(spans.map(({ traceId }) => traceId)).size} traces`);
}

/** One image for each service from the Dockerfile's `prebuilt` target; the build context is sent once. */
async function buildImages() {
  const build = (name, dir, args = []) => quietly('docker', ['build', '-q', '-t', `assay-local/${name}`, ...args, dir]);
  await build('nats', join(composeDir, 'nats'));
  await build('postgres', join(composeDir, 'postgres'));
  const dockerfile = ['--target', 'prebuilt', '--build-arg', `NODE_IMAGE=${BASE_TAG}`];
  await build('coordinator', join(composeDir, 'app'), [...dockerfile, '--build-arg', 'APP=coordinator']);
  for (const app of ['dispatcher', 'executor', 'grader', 'publisher']) {
    const dir = join(composeDir, 'images', app);
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'Dockerfile'), `FROM assay-local/coordinator\nENV APP=${app}\n`);
    await build(app, dir);
  }
}

async function quietly(command, args) {
  const { code, output } = await run(command, args, { env: { ...process.env, DOCKER_BUILDKIT: '0' } });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with exit ${code}:\n${output.slice(-4_000)}`);
}

/** The container of an executor that holds a running trial, by its worker id (which begins with its host name). */
async function runningTrial(runId) {
  const { instances } = await api('GET', `/v1/runs/${runId}/instances`);
  const worker = instances.find(({ state, worker: name }) => state === 'RUNNING_AGENT' && name !== null)?.worker;
  if (worker === undefined) return null;
  const { output } = await run('docker', [
    'ps',
    '--filter',
    `label=com.docker.compose.project=${PROJECT}`,
    '--format',
    '{{.ID}}',
  ]);
  for (const id of output.trim().split('\n')) {
    const { Config } = await docker.getContainer(id).inspect();
    if (worker.startsWith(Config.Hostname)) return id;
  }
  return null;
}

function caller(url, token) {
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(`${url}${path}`, {
      ...bounded(),
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
}

/** A port that Docker has published before anybody listens behind it may take a connection and never answer. */
function bounded() {
  return { signal: AbortSignal.timeout(10_000) };
}

async function until(what, probe, timeoutMs = 60_000) {
  const deadline = Date.now() + timeoutMs;
  let last = null;
  while (Date.now() < deadline) {
    try {
      const found = await probe();
      if (found) return found;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`waited ${timeoutMs / 1000} s until ${what}`, { cause: last });
}
