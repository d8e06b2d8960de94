#!/usr/bin/env node
/**
 * `npm run bench:control-plane`: how much time the pipeline itself takes for one instance. A suite of 500 tasks runs with
 * the agent `nop` in the process sandbox on ten executor slots, through the five real services. Beside it, in the same
 * run, stands a physical limit: the commits and acknowledged publishes that the protocol needs for one instance, done
 * bare against the same PostgreSQL and the same nats-server.
 *
 *   npm run bench:control-plane [-- --instances 500 --slots 10]
 */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import { freePort, stopChild } from '../embedded/processes.mjs';
import { findNatsServer, startNats } from '../embedded/nats.mjs';
import { startPostgres } from '../embedded/postgres.mjs';
import { ensureInstalled, inherit, root } from '../install/ensure.mjs';

/** Claim, first heartbeat and result of trial and grade; a work and a result message for each. */
const COMMITS_PER_INSTANCE = 6;
const PUBLISHES_PER_INSTANCE = 4;
const TOKEN = 'bench-token-bench-token-bench-token';

const { values } = parseArgs({
  options: { instances: { type: 'string', default: '500' }, slots: { type: 'string', default: '10' } },
});
const instances = Number(values.instances);
const slots = Number(values.slots);

await ensureInstalled();
await inherit('npx', ['nx', 'run-many', '-t', 'build', '--parallel=2', '--output-style=static'], {
  env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const dir = await mkdtemp(join(tmpdir(), 'assay-bench-'));
const children = [];
let postgres = null;
let nats = null;
try {
  postgres = await startPostgres({ dataDir: join(dir, 'pg') });
  nats = await startNats({ binary: (await findNatsServer()).binary, storeDir: join(dir, 'nats') });
  const bare = { commitMs: await bareCommit(postgres.url), publishMs: await barePublish(nats.url) };
  await writeSuite();
  const ports = await startServices();
  const run = await runSuite(ports.dispatcher);
  await report(bare, run);
} finally {
  await Promise.all(children.map(({ child }) => stopChild(child)));
  await nats?.stop();
  await postgres?.stop();
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
}

async function report(bare, { runId, wallMs, memory }) {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(
    `select extract(epoch from (i.terminal_at - a.granted_at)) * 1000 as whole,
            coalesce((a.outcome -> 'timings' ->> 'prepareMs')::float, 0)
              + coalesce((a.outcome -> 'timings' ->> 'agentMs')::float, 0)
              + coalesce((a.outcome -> 'timings' ->> 'extractMs')::float, 0) as trial,
            coalesce((g.outcome ->> 'durationMs')::float, 0) as grade, i.state
       from assay.instances i
       join assay.attempts a on a.run_id = i.run_id and a.instance_id = i.instance_id and a.state = 'COMPLETED'
       join assay.grades g on g.attempt_id = a.id and g.state = 'COMPLETED'
      where i.run_id = $1`,
    [runId],
  );
  await client.end();
  if (rows.length !== instances) throw new Error(`expected ${instances} graded instances, got ${rows.length}`);
  const latency = rows.map(({ whole, trial, grade }) => whole - trial - grade).sort((a, b) => a - b);
  const trialMs = mean(rows.map(({ trial }) => trial));
  const busyMs = rows.reduce((sum, { trial, grade }) => sum + trial + grade, 0);
  const own = wallMs / instances;
  const limit = COMMITS_PER_INSTANCE * bare.commitMs + PUBLISHES_PER_INSTANCE * bare.publishMs;
  const lines = [
    `instances                              ${instances} on ${slots} slots`,
    `wall time                              ${(wallMs / 1000).toFixed(2)} s`,
    `instances per second                   ${((instances / wallMs) * 1000).toFixed(1)}`,
    `wall time per instance                 ${own.toFixed(2)} ms (trials and grades included, ${slots} at a time)`,
    `a trial by itself                      ${trialMs.toFixed(2)} ms`,
    `all trials and grades by themselves    ${(busyMs / 1000).toFixed(2)} s of worker time`,
    `claim to terminal, less the trial      median ${at(latency, 0.5).toFixed(1)} ms, p90 ${at(latency, 0.9).toFixed(1)} ms`,
    `a bare commit                          ${bare.commitMs.toFixed(2)} ms`,
    `a bare acknowledged publish            ${bare.publishMs.toFixed(2)} ms`,
    `limit: ${COMMITS_PER_INSTANCE} commits + ${PUBLISHES_PER_INSTANCE} publishes          ${limit.toFixed(2)} ms`,
    `ratio wall per instance / limit        ${(own / limit).toFixed(2)}`,
    `ratio median latency / limit           ${(at(latency, 0.5) / limit).toFixed(2)}`,
    ...memory,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Milliseconds of a one-row insert in a transaction of its own, one after the other. */
async function bareCommit(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create table bench_bare (id int)');
  const started = performance.now();
  for (let index = 0; index < 300; index += 1) await client.query('insert into bench_bare values ($1)', [index]);
  const ms = (performance.now() - started) / 300;
  await client.end();
  return ms;
}

/** Milliseconds of a publish that the stream has acknowledged, one after the other. */
async function barePublish(url) {
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'BARE', subjects: ['bare.>'] });
  const js = jetstream(connection);
  const started = performance.now();
  for (let index = 0; index < 300; index += 1) await js.publish(`bare.${index}`, '{}');
  const ms = (performance.now() - started) / 300;
  await manager.streams.delete('BARE');
  await connection.close();
  return ms;
}

async function writeSuite() {
  const suites = join(dir, 'suites');
  for (let index = 0; index < instances; index += 1) {
    const task = join(suites, 'tasks', `task-${String(index).padStart(4, '0')}`);
    const files = {
      'task.toml': 'version = "1.0"\n',
      'instruction.md': 'Nothing to do.\n',
      'environment/Dockerfile': 'ARG BASE_IMAGE=node:22-bookworm\nFROM ${BASE_IMAGE}\nWORKDIR /app\nCOPY app/ /app/\n',
      'environment/app/file.txt': 'text\n',
      'tests/test.sh': '#!/bin/bash\necho 0 > "$LOGS_DIR/verifier/reward.txt"\n',
    };
    for (const [name, content] of Object.entries(files)) {
      await mkdir(join(task, name, '..'), { recursive: true });
      await writeFile(join(task, name), content);
    }
    await chmod(join(task, 'tests/test.sh'), 0o755);
  }
  await writeFile(
    join(suites, 'nop.yaml'),
    [
      'schema: assay.suite/1',
      'name: nop',
      'title: Nothing, many times',
      'dataset: { name: bench, revision: "1" }',
      'source: { kind: harbor, path: tasks }',
      'publish: none',
      `errorThreshold: ${instances}`,
      'sandbox: process',
      'agent: { name: nop }',
      '',
    ].join('\n'),
  );
  await writeFile(join(dir, 'api-token'), TOKEN, { mode: 0o600 });
  await writeFile(join(dir, 'model-key'), 'unused-model-key', { mode: 0o600 });
}

async function startServices() {
  const common = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NATS_URL: nats.url,
    ASSAY_ARTIFACTS_DIR: join(dir, 'artifacts'),
    ASSAY_LOG_LEVEL: 'warn',
  };
  const database = { DATABASE_URL: postgres.url };
  const work = (name) => ({ ASSAY_SANDBOXES: 'process', ASSAY_WORK_DIR: join(dir, 'work', name) });
  const apps = {
    coordinator: database,
    dispatcher: {
      ...database,
      ASSAY_SUITES_DIR: join(dir, 'suites'),
      ASSAY_API_TOKEN_FILE: join(dir, 'api-token'),
      ASSAY_DEFAULT_SANDBOX: 'process',
    },
    executor: {
      ...work('executor'),
      ASSAY_SLOTS: String(slots),
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      OPENAI_API_KEY_FILE: join(dir, 'model-key'),
    },
    grader: { ...work('grader'), ASSAY_SLOTS: '2' },
  };
  const ports = {};
  for (const [name, env] of Object.entries(apps)) {
    ports[name] = await freePort();
    const child = spawn(process.execPath, [join(root, 'apps', name, 'dist/main.js')], {
      env: { ...common, ...env, ASSAY_HTTP_PORT: String(ports[name]) },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    children.push({ name, child });
  }
  for (const port of Object.values(ports)) {
    await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok, 60_000);
  }
  return ports;
}

async function runSuite(port) {
  const call = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'idempotency-key': 'bench' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { runId } = await call('POST', '/v1/runs', {
    suite: 'nop',
    evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
    model: 'none',
    trigger: 'manual',
  });
  const samples = [];
  const view = await until(async () => {
    samples.push(await residentMb());
    const run = await call('GET', `/v1/runs/${runId}`);
    return run.finishedAt === null ? null : run;
  }, 600_000);
  const wallMs = Date.parse(view.finishedAt) - Date.parse(view.startedAt ?? view.createdAt);
  const memory = children.map(({ name }, index) => {
    const series = samples.map((sample) => sample[index]);
    const quarter = series[Math.floor(series.length / 4)];
    return `memory of ${name.padEnd(12)}                 ${quarter} MiB after a quarter, ${series.at(-1)} MiB at the end`;
  });
  return { runId, wallMs, memory };
}

function residentMb() {
  return Promise.all(
    children.map(async ({ child }) => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    }),
  );
}

async function until(probe, timeoutMs) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await probe().catch(() => null);
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function mean(list) {
  return list.reduce((sum, value) => sum + value, 0) / list.length;
}

function at(sorted, quantile) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))];
}
