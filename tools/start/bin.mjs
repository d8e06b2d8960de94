#!/usr/bin/env node
/**
 * `npm start`: installs and builds if need be, then runs `assay up` with the arguments after `--`.
 */
import { constants } from 'node:os';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, inherit, requireNode, root } from '../install/ensure.mjs';

requireNode();
try {
  await ensureInstalled();
  process.stdout.write('building\n');
  const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' };
  await inherit('npx', ['nx', 'run-many', '-t', 'build', '--parallel=2', '--output-style=static', '--quiet'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

// The child handles signals, each once: a terminal sends them to the whole group, others only to us, so ours are passed on.
const child = spawn(process.execPath, [join(root, 'apps/cli/dist/main.js'), 'up', ...process.argv.slice(2)], {
  stdio: 'inherit',
  detached: false,
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    child.kill(signal);
  });
}
child.once('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
});
