#!/usr/bin/env node
/**
 * `npm start`: installs and builds if need be, then runs `assay up` with the arguments after `--`. Ends with its exit
 * code; 128 + n where signal n came before.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, inherit, requireNode, root } from '../install/ensure.mjs';
import { endOfParent } from './parent.mjs';

const exitCodeOf = (signal) => 128 + (constants.signals[signal] ?? 0);

requireNode();
const stop = new AbortController();
let child = null;
let stoppedBy = null;
const take = (signal) => {
  stoppedBy ??= signal;
  stop.abort(new Error(`stopped by ${signal}`));
  child?.kill(signal);
};
// Each reaches `assay up` once: a terminal sends them to the whole group, others only to us, so ours are passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => take(signal));
// A killed `npm` takes nobody with it: its end is as good as a terminal that closes.
if (process.env.npm_lifecycle_event === 'start') endOfParent().then(() => take('SIGHUP'));

try {
  await ensureInstalled({ signal: stop.signal });
  process.stdout.write('building\n');
  await inherit('npx', ['nx', 'run-many', '-t', 'build', '--parallel=2', '--output-style=static', '--quiet'], {
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
    stdio: ['ignore', 'ignore', 'inherit'],
    signal: stop.signal,
  });
} catch (error) {
  if (stoppedBy === null) process.stderr.write(`${error.message}\n`);
  process.exit(stoppedBy === null ? 1 : exitCodeOf(stoppedBy));
}

// The channel tells it of our end, should we be killed.
child = spawn(process.execPath, [join(root, 'apps/cli/dist/main.js'), 'up', ...process.argv.slice(2)], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
child.once('exit', (code, signal) => process.exit(code ?? exitCodeOf(signal)));
