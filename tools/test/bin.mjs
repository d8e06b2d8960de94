#!/usr/bin/env node
/**
 * `npm test`: installs if need be, starts one PostgreSQL for all projects, runs every project's tests and prints the
 * sum as its last line: `N passed, N failed, N skipped`.
 *
 *   npm test [-- --projects=a,b]
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, requireNode, root, status } from '../install/ensure.mjs';

requireNode();
const { values } = parseArgs({ options: { projects: { type: 'string' } } });
await ensureInstalled();
const { startPostgres } = await import('../embedded/postgres.mjs');
const { findNatsServer } = await import('../embedded/nats.mjs');

const results = join(root, '.assay/test-results');
await rm(results, { recursive: true, force: true });
const dir = await mkdtemp(join(tmpdir(), 'assay-test-'));
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
  const selection = values.projects === undefined ? [] : ['-p', values.projects];
  const args = [
    'nx',
    'run-many',
    '-t',
    'test',
    '--parallel=2',
    '--output-style=stream',
    '--nx-bail=false',
    ...selection,
  ];
  const code = await status('npx', args, { env });
  if (code !== 0) failedProjects.push(`nx ended with exit ${code}`);
} catch (error) {
  failedProjects.push(error.message);
} finally {
  await postgres?.stop();
  await rm(dir, { recursive: true, force: true });
}

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const file of await readdir(results).catch(() => [])) {
  const project = JSON.parse(await readFile(join(results, file), 'utf8'));
  for (const name of Object.keys(totals)) totals[name] += project[name];
}
// A project that broke before its tests could be counted must not look green.
if (failedProjects.length > 0 && totals.failed === 0) totals.failed = 1;
for (const line of failedProjects) process.stdout.write(`${line}\n`);
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
