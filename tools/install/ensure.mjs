import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const MINIMUM = [20, 19, 0];

/** Ends the process with one clear line where this Node is older than the minimum (package.json `engines`). */
export function requireNode() {
  const have = process.versions.node.split('.').map(Number);
  const at = have.findIndex((part, index) => part !== MINIMUM[index]);
  if (at !== -1 && have[at] < MINIMUM[at]) {
    process.stderr.write(`Assay needs Node ${MINIMUM.join('.')} or newer; this is ${process.versions.node}\n`);
    process.exit(1);
  }
}

/** Runs `npm ci` where node_modules does not match package-lock.json. Throws with npm's exit code, or `signal`'s reason. */
export async function ensureInstalled({ signal } = {}) {
  const lock = createHash('sha256')
    .update(await readFile(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules/.assay-lock');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === lock) return;
  process.stdout.write('installing packages (npm ci)\n');
  await inherit('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'], { signal });
  await writeFile(stamp, lock);
}

/**
 * Runs a program in the project's root with its output passed through; throws unless it ends with 0. With a `signal`
 * the program has a process group of its own, which is ended when the signal is raised; then this throws its reason.
 */
export async function inherit(command, args, options = {}) {
  const code = await status(command, args, options);
  options.signal?.throwIfAborted();
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with exit ${code}`);
}

/** Like `inherit`, but resolves with the exit code. */
export function status(command, args, { signal, ...options } = {}) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const detached = signal !== undefined;
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached, ...options });
    const end = () => endGroup(child.pid);
    signal?.addEventListener('abort', end, { once: true });
    child.once('error', (error) => reject(new Error(`cannot run ${command}: ${error.message}`)));
    child.once('close', (code, signalName) => {
      signal?.removeEventListener('abort', end);
      resolve(code ?? `signal ${signalName}`);
    });
  });
}

function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
