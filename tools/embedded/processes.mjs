import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** A TCP port of the loopback interface that was free a moment ago. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * Runs a program to its end; resolves with its exit code and merged output, rejects only when it cannot start. With a
 * `signal` it has a process group of its own, which is killed when the signal is raised; then it rejects with its reason.
 */
export function run(command, args, { signal, ...options } = {}) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const detached = signal !== undefined;
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached, ...options });
    const kill = () => killGroup(child.pid);
    signal?.addEventListener('abort', kill, { once: true });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signalName) => {
      signal?.removeEventListener('abort', kill);
      if (signal?.aborted) reject(signal.reason);
      else resolve({ code, signal: signalName, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

function killGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Resolves when `probe` does, trying every 50 ms; rejects with its last error after `timeoutMs`, or when `child` ends. */
export async function untilReady(probe, { timeoutMs, child, name, output }) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${name} ended at once (exit ${child.exitCode ?? child.signalCode}):\n${output()}`);
    }
    try {
      return await probe();
    } catch (error) {
      if (Date.now() > deadline) {
        throw new Error(`${name} was not ready after ${timeoutMs} ms: ${error.message}\n${output()}`);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Sends `signal`, then SIGKILL after `graceMs`; resolves when the child has ended. */
export async function stopChild(child, { signal = 'SIGTERM', graceMs = 5_000 } = {}) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}

/** Keeps the last 64 KiB of a child's output, for the message when it fails. */
export function tail(child, onChunk = () => {}) {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text = (text + chunk.toString('utf8')).slice(-65_536);
      onChunk(chunk);
    });
  }
  return () => text;
}
