import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-postgres-'));
  chmodSync(dir, 0o755);
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** Starts an embedded PostgreSQL in a process of its own, stops it again, and tells what came of it. */
function started(env: NodeJS.ProcessEnv): string {
  const script = `
    const { startPostgres } = await import('@assay-tools/embedded/postgres');
    await startPostgres({ dataDir: process.argv[1], fast: true }).then(
      async (server) => { await server.stop(); process.stdout.write('stopped'); },
      (error) => { process.stdout.write(error.message); },
    );`;
  const args = ['--input-type=module', '-e', script, join(dir, 'data')];
  return spawnSync(process.execPath, args, { cwd: __dirname, env, encoding: 'utf8', timeout: 60_000 }).stdout;
}

test('PostgreSQL starts, also as root, where no program is on the path', () => {
  mkdirSync(join(dir, 'bin'));
  expect(started({ PATH: join(dir, 'bin') })).toBe('stopped');
});
