import Docker from 'dockerode';
import { readdirSync, readFileSync } from 'node:fs';
import { describeNeeding, eventually, missingTestImage, testImage } from '@assay/testing';
import { SandboxHarness, shell } from '../conformance/sandbox-harness';
import { DockerSandboxProvider } from './docker-provider';

/**
 * What was measured of an engine to be unlike what one expects, row by row of the table that was made of it. Others are
 * in the conformance suite (4 and 5: a child that holds the output, a talker) and among the seals (12: secrets).
 */
const harness = new SandboxHarness({
  name: 'docker',
  provider: (namespace) => new DockerSandboxProvider({ namespace, baseImage: testImage() }),
});
const docker = new Docker();
const small = { cpus: 1, memoryMb: 64, diskMb: 512, pids: 64 };
const HOG = `node -e 'const kept = []; for (;;) kept.push(Buffer.alloc(8_000_000, 1));'`;

/** Whether a process of this machine has this word in its command line. */
function runs(word: string): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
    } catch {
      return false; // it ended while we looked
    }
  });
}

describeNeeding(missingTestImage(), 'traps of the engine', () => {
  beforeAll(() => harness.open());
  afterAll(() => harness.close());

  test('row 1: an exit code is that of the command, never a 0 of something that was asked too early', async () => {
    const sandbox = await harness.sandbox();
    const codes = await Promise.all(
      [9, 0, 1, 255].map(async (code) => (await sandbox.exec(shell(`exit ${code}`))).exitCode),
    );
    expect(codes).toEqual([9, 0, 1, 255]);
  });

  test('row 1: a container that ended by itself is no command that succeeded', async () => {
    const sandbox = await harness.sandbox({ lifetimeSeconds: 1 });
    await eventually(async () => !(await docker.getContainer(sandbox.id).inspect()).State.Running);
    await expect(sandbox.exec(shell('true'))).rejects.toMatchObject({ blame: 'infra', code: 'engine_failed' });
  });

  test('row 2: a command that was left is a command that was killed, not one that nobody hears any more', async () => {
    const sandbox = await harness.sandbox();
    const abort = new AbortController();
    const onOutput = (): void => {
      abort.abort();
    };
    await sandbox.exec(shell('echo up; exec sleep 73412', { signal: abort.signal, onOutput }));
    expect(runs('73412')).toBe(false);
  });

  test('row 3: what left its session and dropped its environment ends with the container, and nothing is left of it', async () => {
    const sandbox = await harness.sandbox();
    const script = 'env -i setsid sleep 73413 & sleep 60';
    expect(await sandbox.exec(shell(script, { timeoutMs: 1_000 }))).toMatchObject({ exitCode: null, timedOut: true });
    await sandbox.kill();
    expect(runs('73413')).toBe(false);
  });

  test('row 6: who reads slowly loses nothing', async () => {
    const sandbox = await harness.sandbox();
    let bytes = 0;
    let waited = false;
    const onOutput = (chunk: Buffer): void => {
      bytes += chunk.length;
      for (const until = Date.now() + (waited ? 0 : 2_000); Date.now() < until;);
      waited = true;
    };
    const result = await sandbox.exec(shell('head -c 30000000 /dev/zero', { maxOutputBytes: 10, onOutput }));
    expect([result.exitCode, bytes]).toEqual([0, 30_000_000]);
  });

  test('row 7: 40,000 lines on two streams come whole, and in their order', async () => {
    const sandbox = await harness.sandbox();
    const script = 'i=0; while [ $i -lt 20000 ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); done';
    const { output } = await sandbox.exec(shell(script));
    const expected = Array.from({ length: 20_000 }, (_, i) => `out ${i}\nerr ${i}\n`).join('');
    expect(output.toString() === expected).toBe(true);
  });

  test('row 8: many removals at the same time, and one after it, are one removal', async () => {
    const sandbox = await harness.sandbox();
    const other = docker.getContainer(sandbox.id);
    const removals = [
      sandbox.destroy(),
      harness.another().reap(() => false),
      sandbox.destroy(),
      other.remove({ force: true }),
    ];
    await Promise.allSettled(removals);
    await sandbox.destroy();
    await expect(other.inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  test('row 9: a command in a container that is removed under it ends at once, as our fault', async () => {
    const sandbox = await harness.sandbox();
    let up = false;
    const running = sandbox.exec(shell('echo up; sleep 60', { onOutput: () => (up = true) })).catch((e: unknown) => e);
    await eventually(() => up);
    const started = Date.now();
    await docker.getContainer(sandbox.id).remove({ force: true });
    expect(await running).toMatchObject({ blame: 'infra' });
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  test('row 9: nothing of a command stays on the engine when it is over', async () => {
    const sandbox = await harness.sandbox();
    for (let n = 0; n < 5; n += 1) await sandbox.exec(shell('true'));
    await sandbox.exec(shell('sleep 60', { timeoutMs: 200 }));
    const known = async (): Promise<unknown> => (await docker.getContainer(sandbox.id).inspect()).ExecIDs;
    await eventually(async () => (await known()) === null);
  });

  test('row 10: a kill waits for nobody', async () => {
    const sandbox = await harness.sandbox();
    await sandbox.exec(shell(`(trap '' TERM INT HUP; sleep 300) >/dev/null 2>&1 &`));
    const started = Date.now();
    await sandbox.kill();
    expect(Date.now() - started).toBeLessThan(5_000);
    expect((await docker.getContainer(sandbox.id).inspect()).State.Running).toBe(false);
  });

  test('row 11: a link is no file of the host, whatever it is called', async () => {
    const sandbox = await harness.sandbox();
    await sandbox.exec(shell('ln -s /etc/shadow result.json; ln -s ../../../etc up'));
    expect(await sandbox.getFile(`${sandbox.workdir}/result.json`, 1_000)).toBeNull();
    const own = (await sandbox.exec(shell('cat /etc/passwd; ls -l up/passwd'))).output.toString();
    expect(own).toContain((await sandbox.getFile(`${sandbox.workdir}/up/passwd`, 100_000))?.toString());
  });

  test('row 13: the state of a container that ended can still be asked', async () => {
    const sandbox = await harness.sandbox();
    await sandbox.kill();
    const { State, HostConfig } = await docker.getContainer(sandbox.id).inspect();
    expect([State.Running, State.ExitCode, State.OOMKilled, HostConfig.AutoRemove]).toEqual([false, 137, false, false]);
  });

  test('memory: the command over the limit, a child of it, a kill, and an exit 137 are told apart', async () => {
    const sandbox = await harness.sandbox({ limits: small });
    expect(await sandbox.exec(shell(`exec ${HOG}`))).toMatchObject({ exitCode: null, outOfMemory: true });
    expect(await sandbox.exec(shell(`${HOG}; exit 3`))).toMatchObject({ exitCode: 3, outOfMemory: true });
    expect(await sandbox.exec(shell('kill -9 $$'))).toMatchObject({ exitCode: 137, outOfMemory: false });
    expect(await sandbox.exec(shell('exit 137'))).toMatchObject({ exitCode: 137, outOfMemory: false });
    expect(await sandbox.exec(shell('true', { watchMemory: true }))).toMatchObject({ exitCode: 0, outOfMemory: false });
  });

  test('memory: the mark that an earlier command left on the container is not held against a later one', async () => {
    const sandbox = await harness.sandbox({ limits: small });
    expect((await sandbox.exec(shell(HOG))).outOfMemory).toBe(true);
    const hidden = shell('rm -f /bin/cat /usr/bin/cat /bin/grep /usr/bin/grep; sleep 60', { timeoutMs: 500 });
    expect(await sandbox.exec(hidden)).toMatchObject({ timedOut: true, outOfMemory: false });
  });

  test('memory: what fills /tmp and /dev/shm counts, and is told of as memory', async () => {
    const sandbox = await harness.sandbox({ limits: small });
    const fill = 'head -c 31000000 /dev/zero > /tmp/a; head -c 60000000 /dev/zero > /dev/shm/b';
    // Memory stays full, so whoever looks from inside is killed as well: the engine's events tell.
    expect((await sandbox.exec(shell(fill, { watchMemory: true }))).outOfMemory).toBe(true);
  });

  test('memory: a kill is told once; what ends well or badly after it is not blamed on memory', async () => {
    const sandbox = await harness.sandbox({ limits: small });
    const hog = 'head -c 90000000 /dev/zero | tail > /dev/null; true';
    expect((await sandbox.exec(shell(hog, { watchMemory: true }))).outOfMemory).toBe(true);
    expect(await sandbox.exec(shell('exit 3'))).toMatchObject({ exitCode: 3, outOfMemory: false });
    expect(await sandbox.exec(shell('true', { watchMemory: true }))).toMatchObject({ exitCode: 0, outOfMemory: false });
  });
});
