import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Digest } from '@assay/contracts';
import { eventually } from '@assay/testing';
import { SandboxHarness, shell, workKeyOf, writeTree } from '../conformance/sandbox-harness';
import { ProcessSandboxProvider } from './process-provider';
import { killQuietly, MARKER } from './strays';
import { startWatchdog, watchdogArguments } from './watchdog';

let workDir = '';
const path = process.env['PATH'] ?? '/usr/bin:/bin';
const harness = new SandboxHarness({
  name: 'process',
  provider: (namespace, dir) => {
    workDir = dir;
    return new ProcessSandboxProvider({ namespace, workDir: dir, path });
  },
});
const build = { kind: 'build', contextDigest: Digest.parse('d'.repeat(64)) } as const;

/** An executor that starts a command in a sandbox and hangs; the test kills it. The command writes its pid. */
const OWNER = `
const { spawn } = require('node:child_process');
const [marker, name] = process.argv.slice(1);
const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore', env: { [name]: marker, PATH: process.env.PATH } });
process.stdout.write(String(child.pid));
setInterval(() => undefined, 1000);
`;

/** An executor that starts a command and its watchdog, tells their process ids, and hangs. */
const WATCHED_OWNER = `
const { spawn } = require('node:child_process');
const [marker, name, watchdog] = process.argv.slice(1);
const free = { detached: true, stdio: 'ignore' };
const child = spawn('sleep', ['300'], { ...free, env: { [name]: marker, PATH: process.env.PATH } });
const args = JSON.parse(watchdog).map((part) => (part === 'OWNER' ? String(process.pid) : part));
const dog = spawn('/bin/sh', args, { ...free, env: { PATH: process.env.PATH } });
process.stdout.write(child.pid + ' ' + dog.pid);
setInterval(() => undefined, 1000);
`;

/** A zombie is dead: nobody has asked for its exit code yet. */
function alive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

/** Children of a shell: its `sleep` is another one at each look. */
function sleepsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
}

describe('what a process sandbox leaves', () => {
  beforeAll(() => harness.open());
  afterAll(() => harness.close());

  test('nothing of it is on the host after it is destroyed, also where it took its own rights away', async () => {
    const sandbox = await harness.sandbox();
    await sandbox.exec(shell('mkdir locked; echo x > locked/file; chmod 000 locked'));
    const home = join(workDir, `${harness.namespace}-sandboxes`);
    const before = readdirSync(home).length;
    await sandbox.destroy();
    expect(readdirSync(home)).toHaveLength(before - 1);
  });

  test('what dropped its environment is found by its working directory', async () => {
    const sandbox = await harness.sandbox();
    const { output } = await sandbox.exec(shell('env -i setsid sleep 300 >/dev/null 2>&1 & echo $!'));
    const pid = Number(output.toString());
    expect(alive(pid)).toBe(true);
    await sandbox.kill();
    await eventually(() => !alive(pid));
  });

  test('what an executor that was killed left running is found by its marker and reaped with its folder', async () => {
    const sandbox = await harness.sandbox({ key: workKeyOf('orphan') });
    const owner = spawn(process.execPath, ['-e', OWNER, `${sandbox.id}.1`, MARKER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = (await once(owner.stdout, 'data')) as [Buffer];
    const pid = Number(text.toString());
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(alive(pid)).toBe(true);
    expect(await harness.another().reap(() => false)).toBeGreaterThanOrEqual(1);
    await eventually(() => !alive(pid));
    expect(existsSync(sandbox.workdir)).toBe(false);
  });

  test('the watchdog kills at the deadline what nobody watches any more', async () => {
    const marker = `watched-${process.pid}`;
    const child = spawn('sleep', ['300'], { stdio: 'ignore', env: { [MARKER]: `${marker}.1`, PATH: path } });
    const ended = once(child, 'exit');
    startWatchdog(marker, 0.3, path);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  test('the watchdog of an executor that was killed kills what that left, long before the deadline, and ends', async () => {
    const mark = `owned-${process.pid}`;
    const args = watchdogArguments({ mark, lifetimeSeconds: 300, owner: 0, lookSeconds: 0.2 });
    const owned = JSON.stringify([...args.slice(0, -1), 'OWNER']);
    const owner = spawn(process.execPath, ['-e', WATCHED_OWNER, `${mark}.1`, MARKER, owned], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = (await once(owner.stdout, 'data')) as [Buffer];
    const [command = 0, dog = 0] = text.toString().split(' ').map(Number);
    const looked = await eventually(() => sleepsOf(dog).length > 0).then(() => sleepsOf(dog));
    await eventually(() => sleepsOf(dog).some((pid) => !looked.includes(pid)));
    expect([alive(command), alive(dog)]).toEqual([true, true]);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await eventually(() => !alive(command) && !alive(dog));
  });

  test('the watchdog of a sandbox that was reaped lets one live that was made anew under its name', async () => {
    const key = workKeyOf('again');
    const earlier = await harness.sandbox({ key, lifetimeSeconds: 1 });
    await earlier.exec(shell('true'));
    await harness.another().reap(() => false);
    const later = await harness.sandbox({ key, lifetimeSeconds: 300 });
    expect(later.id).toBe(earlier.id);
    const { exitCode, output } = await later.exec(shell('sleep 3; echo lives'));
    expect({ exitCode, said: output.toString() }).toEqual({ exitCode: 0, said: 'lives\n' });
  });

  test('a watchdog that was called off kills nothing and leaves no process', async () => {
    const marker = `spared-${process.pid}`;
    const child = spawn('sleep', ['300'], { stdio: 'ignore', env: { [MARKER]: `${marker}.1`, PATH: path } });
    const callOff = startWatchdog(marker, 300, path);
    callOff();
    const left = async (): Promise<boolean> => {
      const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
      const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
      return lines.some((line) => line.includes(`${MARKER}=${marker}.`));
    };
    await eventually(async () => !(await left()));
    expect(alive(child.pid!)).toBe(true);
    killQuietly(child.pid!);
  });

  test('a folder without labels is left alone while it is young, and removed when it is old', async () => {
    const dir = join(workDir, `${harness.namespace}-sandboxes`, 'half-made');
    await mkdir(dir);
    await harness.another().reap(() => true);
    expect(existsSync(dir)).toBe(true);
    const old = new Date(Date.now() - 3_600_000);
    await utimes(dir, old, old);
    await harness.another().reap(() => true);
    expect(existsSync(dir)).toBe(false);
  });

  test('an image that is not built here, or no Dockerfile at all, is refused as a fault of the task', async () => {
    const provider = harness.another();
    const signal = new AbortController().signal;
    const reference = { kind: 'reference', reference: 'node:22' } as const;
    await expect(provider.prepareImage(reference, workDir, signal)).rejects.toMatchObject({
      blame: 'task',
      code: 'image_needs_docker',
    });
    await expect(provider.prepareImage(build, await harness.hostDir(), signal)).rejects.toMatchObject({
      blame: 'task',
      code: 'dockerfile_missing',
    });
  });

  test('absolute targets of COPY lie below the sandbox, and a source that is not there is a fault of the task', async () => {
    const contextDir = await harness.hostDir();
    const dockerfile =
      'FROM x\nWORKDIR /app\nCOPY one.txt /data/deep/\nCOPY one.txt renamed.txt\nCOPY dir /data/copied\n';
    await writeTree(contextDir, { Dockerfile: dockerfile, 'one.txt': '1', 'dir/two.txt': '2' });
    const image = await harness.provider.prepareImage(build, contextDir, new AbortController().signal);
    const sandbox = await harness.sandbox({ image });
    expect((await sandbox.getFile('/data/deep/one.txt', 10))?.toString()).toBe('1');
    expect((await sandbox.getFile('/app/renamed.txt', 10))?.toString()).toBe('1');
    expect((await sandbox.getFile('/data/copied/two.txt', 10))?.toString()).toBe('2');
    expect(existsSync('/data/deep/one.txt')).toBe(false);
    await writeTree(contextDir, { Dockerfile: 'FROM x\nCOPY missing /app/\n' });
    await expect(harness.sandbox({ image, key: workKeyOf('missing') })).rejects.toMatchObject({
      blame: 'task',
      code: 'copy_source_missing',
    });
  });

  test('a disk with too little space is refused before anything is made', async () => {
    const provider = new ProcessSandboxProvider({
      namespace: harness.namespace,
      workDir,
      path,
      minFreeMb: 1_000_000_000,
    });
    await expect(provider.check()).rejects.toMatchObject({ blame: 'infra', code: 'disk_full' });
  });

  test('paths with .. stay below the sandbox', async () => {
    const sandbox = await harness.sandbox();
    expect(await sandbox.getFile('../../../../../../etc/hostname', 1_000)).toBeNull();
    expect(await sandbox.getFile('/etc/hostname', 1_000)).toBeNull();
    await sandbox.putFile('/etc/ours', Buffer.from('x'));
    expect(existsSync('/etc/ours')).toBe(false);
  });
});
