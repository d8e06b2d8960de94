#!/usr/bin/env node
/**
 * `npm test`: installs if need be, starts one PostgreSQL for all projects, runs every project's tests, names what was
 * skipped and what failed, and prints the sum as its last line: `N passed, N failed, N skipped`.
 *
 *   npm test [-- --projects=a,b]
 */
import { chmod, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, requireNode, root, status } from '../install/ensure.mjs';

/** The project of the end-to-end tests. */
const LAST = 'pipeline-e2e';

requireNode();
const { values } = parseArgs({ options: { projects: { type: 'string' } } });
await ensureInstalled();
const { startPostgres } = await import('../embedded/postgres.mjs');
const { findNatsServer } = await import('../embedded/nats.mjs');

const results = join(root, '.assay/test-results');
await rm(results, { recursive: true, force: true });
const dir = await mkdtemp(join(tmpdir(), 'assay-test-'));
// As root the server is another user, whose data would be laid elsewhere, and stay, if it could not come here.
await chmod(dir, 0o755);
let postgres = null;
let failedProjects = [];
try {
  const nats = await findNatsServer({ note: (line) => process.stdout.write(`${line}\n`) });
  postgres = await startPostgres({ dataDir: join(dir, 'pg'), fast: true });
  const env = {
    ...process.env,
    ASSAY_TEST_DATABASE_URL: postgres.url,
    ASSAY_NATS_SERVER: nats.binary,
    NX_DAEMON: 'false',
    NX_TUI: 'false',
  };
  // Whole deployments with short leases come last and alone: beside others they would measure the machine.
  const chosen = values.projects === undefined ? [] : values.projects.split(',');
  const wants = (name) => chosen.length === 0 || chosen.includes(name);
  const others = chosen.length === 0 ? ['--exclude', LAST] : ['-p', chosen.filter((name) => name !== LAST).join(',')];
  const passes = [
    ...(chosen.length === 1 && wants(LAST) ? [] : [{ args: ['--parallel=2', ...others], more: {} }]),
    ...(wants(LAST) ? [{ args: ['--parallel=1', '-p', LAST], more: { ASSAY_JEST_WORKERS: '1' } }] : []),
  ];
  for (const { args, more } of passes) {
    const command = ['nx', 'run-many', '-t', 'test', '--output-style=stream', '--nx-bail=false', ...args];
    const code = await status('npx', command, { env: { ...env, ...more } });
    if (code !== 0) failedProjects.push(`nx ended with exit ${code}`);
  }
} catch (error) {
  failedProjects.push(error.message);
} finally {
  await postgres?.stop();
  await rm(dir, { recursive: true, force: true });
}

const totals = { passed: 0, failed: 0, skipped: 0 };
const told = { failures: [], skips: [] };
for (const file of await readdir(results).catch(() => [])) {
  const project = JSON.parse(await readFile(join(results, file), 'utf8'));
  for (const name of Object.keys(totals)) totals[name] += project[name];
  for (const name of Object.keys(told)) told[name].push(...project[name]);
}
for (const line of told.skips) process.stdout.write(`SKIPPED ${line}\n`);
for (const text of told.failures) process.stdout.write(`FAILED ${text}\n`);
// A project that broke before its tests could be counted must not look green.
if (failedProjects.length > 0 && totals.failed === 0) totals.failed = 1;
for (const line of failedProjects) process.stdout.write(`${line}\n`);
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
