import Docker from 'dockerode';
import { chmod, readdir } from 'node:fs/promises';
import { Digest } from '@assay/contracts';
import { describeNeeding, eventually, missingTestImage, testImage } from '@assay/testing';
import { SandboxHarness, shell, workKeyOf, writeTree } from '../conformance/sandbox-harness';
import type { PreparedImage } from '../sandbox.port';
import { DockerSandboxProvider } from './docker-provider';

const harness = new SandboxHarness({
  name: 'docker',
  provider: (namespace) => new DockerSandboxProvider({ namespace, baseImage: testImage() }),
});
const docker = new Docker();

describeNeeding(missingTestImage(), 'a sealed container', () => {
  beforeAll(() => harness.open());
  afterAll(() => harness.close());

  test('has no capabilities, no new privileges, no network but lo, no socket of the engine', async () => {
    const sandbox = await harness.sandbox();
    const script = `grep -E '^(CapEff|CapBnd|CapPrm|NoNewPrivs|Seccomp):' /proc/self/status; ls /sys/class/net; ls /var/run/docker.sock`;
    const { output } = await sandbox.exec(shell(script));
    expect(output.toString()).toMatch(/CapPrm:\t0+\nCapEff:\t0+\nCapBnd:\t0+\nNoNewPrivs:\t1\nSeccomp:\t2\nlo\n/);
    expect(output.toString()).toMatch(/cannot access .*docker\.sock/);
  });

  test('is bounded as asked, sleeps until its deadline under an init, keeps no log, and says whose it is', async () => {
    const key = workKeyOf('labels');
    const sandbox = await harness.sandbox({ key, epoch: 7, lifetimeSeconds: 123 });
    const { HostConfig, Config, Name } = await docker.getContainer(sandbox.id).inspect();
    expect(HostConfig).toMatchObject({
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      PidsLimit: 64,
      Memory: 256 * 1_048_576,
      MemorySwap: 256 * 1_048_576,
      NanoCpus: 1e9,
      ShmSize: 64 * 1_048_576,
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'nofile', Soft: 16_384, Hard: 16_384 },
      ],
      Privileged: false,
      Binds: null,
      LogConfig: { Type: 'none' },
    });
    expect([Config.Entrypoint, Config.Cmd]).toEqual([['sleep'], ['123']]);
    expect(Name).toContain(`/${harness.namespace}-trial-labels-`);
    expect(Config.Labels).toMatchObject({
      'assay.namespace': harness.namespace,
      'assay.run': 'run-1',
      'assay.instance': 'labels',
      'assay.sample': '0',
      'assay.kind': 'trial',
      'assay.epoch': '7',
      'assay.role': 'trial',
    });
    expect(Number(Config.Labels['assay.deadline'])).toBeGreaterThan(Date.now() + 100_000);
  });

  test('uses only the cores that it is given', async () => {
    const sandbox = await harness.sandbox({ cpuset: '1' });
    const { output } = await sandbox.exec(shell('grep Cpus_allowed_list /proc/self/status; nproc'));
    expect(output.toString()).toBe('Cpus_allowed_list:\t1\n1\n');
  });

  test('has keys and settings of the kernel masked or read-only, mounts and makes nothing, and dumps no core', async () => {
    const sandbox = await harness.sandbox();
    const { MaskedPaths, ReadonlyPaths } = (await docker.getContainer(sandbox.id).inspect()).HostConfig;
    expect(MaskedPaths).toEqual(expect.arrayContaining(['/proc/kcore', '/proc/keys', '/sys/firmware']));
    expect(ReadonlyPaths).toEqual(expect.arrayContaining(['/proc/sys', '/proc/sysrq-trigger']));
    const answers: [string, RegExp][] = [
      ['head -c1 /proc/keys | wc -c', /^0$/],
      ['echo 1 > /proc/sys/kernel/panic', /Read-only file system/],
      ['mkdir /sys/fs/cgroup/mine', /Read-only file system|Permission denied/],
      ['mount -t tmpfs none /mnt', /permission denied|not permitted/i],
      ['mknod /dev/mine b 8 0', /not permitted/],
      ['ulimit -c; ulimit -n', /^0\n16384$/],
    ];
    for (const [script, answer] of answers) {
      expect((await sandbox.exec(shell(script))).output.toString().trim()).toMatch(answer);
    }
  });

  test('a mounted folder cannot be written, whoever tries', async () => {
    const hostDir = await harness.hostDir();
    await chmod(hostDir, 0o777);
    const sandbox = await harness.sandbox({ mounts: [{ hostDir, insideDir: '/opt/layer' }] });
    const { output } = await sandbox.exec(shell('touch /opt/layer/x; mount -o remount,rw /opt/layer'));
    expect(output.toString()).toMatch(/Read-only file system[^]*denied|not permitted/);
    expect(await readdir(hostDir)).toEqual([]);
  });

  test('/tmp of a trial and /dev/shm are bounded, and take what is put there', async () => {
    const sandbox = await harness.sandbox();
    await sandbox.putFile('/tmp/put.txt', Buffer.from('put\n'));
    const script =
      'cat /tmp/put.txt; stat -c %a /tmp; for d in /tmp /dev/shm; do df -m --output=size $d | tail -1; done';
    const { output } = await sandbox.exec(shell(script));
    expect(output.toString()).toMatch(/^put\n1777\n\s*128\n\s*64\n$/);
    await sandbox.exec(shell('echo found > /tmp/found'));
    expect((await sandbox.getFile('/tmp/found', 10))?.toString()).toBe('found\n');
    const full = await sandbox.exec(shell('head -c 200000000 /dev/zero > /tmp/big'));
    expect(full.output.toString()).toContain('No space left on device');
    expect((await sandbox.exec(shell('rm /tmp/big; echo fine'))).output.toString()).toBe('fine\n');
  });

  test('a grade, a task that works in /tmp, and an image with files there have the /tmp of the image', async () => {
    const grade = await harness.sandbox({ role: 'grade' });
    const filled = await harness.sandbox({ image: await imageWithTmp() });
    expect((await filled.exec(shell('cat /tmp/of-image.txt'))).output.toString()).toBe('of image\n');
    const inTmp = await harness.sandbox({ image: { ...(await harness.image()), workdir: '/tmp/work' } });
    for (const sandbox of [grade, filled, inTmp]) {
      const { output } = await sandbox.exec(shell('mkdir -p /tmp/work; echo x > /tmp/work/x; df --output=fstype /tmp'));
      expect(output.toString()).toContain('overlay');
    }
    await inTmp.kill();
    expect((await inTmp.getFile('/tmp/work/x', 10))?.toString()).toBe('x\n');
  });

  test('holds nothing of the executor in what the engine tells of it', async () => {
    process.env['ASSAY_CANARY_SECRET'] = 'canary-77aa';
    try {
      const sandbox = await harness.sandbox();
      const told = JSON.stringify(await docker.getContainer(sandbox.id).inspect());
      expect(told).not.toContain('canary-77aa');
    } finally {
      delete process.env['ASSAY_CANARY_SECRET'];
    }
  });

  test('a command that the kernel kills for memory says so, and the sandbox goes on', async () => {
    const sandbox = await harness.sandbox({ limits: { cpus: 1, memoryMb: 64, diskMb: 512, pids: 64 } });
    const result = await sandbox.exec({
      ...shell(''),
      command: ['node', '-e', 'const kept = []; for (;;) kept.push(Buffer.alloc(8_000_000, 1));'],
    });
    expect(result).toMatchObject({ exitCode: null, outOfMemory: true, timedOut: false });
    expect((await sandbox.exec(shell('exit 3'))).outOfMemory).toBe(false);
  });

  test('a child that is killed for memory is told of, whatever its parent exits with', async () => {
    const sandbox = await harness.sandbox({ limits: { cpus: 1, memoryMb: 64, diskMb: 512, pids: 64 } });
    const hog = `node -e 'const kept = []; for (;;) kept.push(Buffer.alloc(8_000_000, 1));'; exit 3`;
    expect(await sandbox.exec(shell(hog))).toMatchObject({ exitCode: 3, outOfMemory: true });
    const hidden = { ...shell(hog.replace('exit 3', 'exit 0')), watchMemory: true };
    expect(await sandbox.exec(hidden)).toMatchObject({ exitCode: 0, outOfMemory: true });
  });

  test('exit 137 alone is not taken for memory', async () => {
    const sandbox = await harness.sandbox();
    expect(await sandbox.exec(shell('kill -9 $$'))).toMatchObject({ exitCode: 137, outOfMemory: false });
  });

  test('a fork bomb stops at the bound of processes and ends with its deadline', async () => {
    const sandbox = await harness.sandbox();
    const result = await sandbox.exec(shell('bomb() { bomb | bomb & }; bomb; sleep 60', { timeoutMs: 1_500 }));
    expect(result.exitCode === null || result.exitCode > 0).toBe(true);
    expect(result.durationMs).toBeLessThan(15_000);
  });

  test('commands of a user who is not root are killed at their deadline, and the container lives on', async () => {
    const sandbox = await harness.sandbox({ user: '1000:1000' });
    expect((await sandbox.exec(shell('id -u'))).output.toString()).toBe('1000\n');
    const script = `trap '' TERM; setsid sleep 4243 & sleep 60`;
    expect(await sandbox.exec(shell(script, { timeoutMs: 500 }))).toMatchObject({ timedOut: true });
    const seen = await sandbox.exec(shell('cat /proc/[0-9]*/cmdline | tr "\\0" "\\n" | grep -cx 424[3]'));
    expect(seen.output.toString()).toBe('0\n');
  });

  test('where no shell is left to kill with, the container is killed at the deadline', async () => {
    const sandbox = await harness.sandbox();
    const script = 'rm -f /bin/grep /usr/bin/grep; sleep 60';
    const result = await sandbox.exec(shell(script, { timeoutMs: 800 }));
    expect(result).toMatchObject({ exitCode: null, timedOut: true });
    expect(result.durationMs).toBeLessThan(15_000);
    await eventually(async () => !(await docker.getContainer(sandbox.id).inspect()).State.Running);
  });

  test.each([
    ['trial', 'agent'],
    ['grade', 'task'],
  ] as const)(
    'what writes more than its bound in a %s is killed, and it is the fault of the %s',
    async (role, blame) => {
      const provider = new DockerSandboxProvider({
        namespace: harness.namespace,
        baseImage: testImage(),
        diskLookMs: 100,
      });
      const limits = { cpus: 1, memoryMb: 256, diskMb: 20, pids: 64 };
      const sandbox = await harness.sandbox({ role, limits }, provider);
      expect((await sandbox.exec(shell('head -c 5000000 /dev/zero > small; sleep 1'))).exitCode).toBe(0);
      const writing = sandbox.exec(shell('head -c 60000000 /dev/zero > big; sleep 30'));
      await expect(writing).rejects.toMatchObject({ blame, code: 'disk_exceeded' });
    },
  );

  test('a container that ends under a command is our fault, not an exit code of the command', async () => {
    const sandbox = await harness.sandbox();
    let up = false;
    const running = sandbox.exec(shell('echo up; sleep 60', { onOutput: () => (up = true) }));
    const failure = running.catch((error: unknown) => error);
    await eventually(() => up);
    await docker.getContainer(sandbox.id).kill();
    expect(await failure).toMatchObject({ blame: 'infra', code: 'sandbox_died' });
    await expect(sandbox.exec(shell('true'))).rejects.toMatchObject({ blame: 'infra', code: 'engine_failed' });
  });

  test.each([
    ['every process that it may kill', 'kill -9 -1; sleep 5'],
    [
      'what waits for the deadline',
      'for p in /proc/[0-9]*; do grep -qa ^sleep $p/comm && kill -9 ${p#/proc/}; done; sleep 5',
    ],
  ])('an agent that kills %s has ended its sandbox itself', async (_, script) => {
    const sandbox = await harness.sandbox();
    await expect(sandbox.exec(shell(script))).rejects.toMatchObject({ blame: 'agent', code: 'agent_ended_sandbox' });
  });

  /** The test's image with a file in /tmp. */
  async function imageWithTmp(): Promise<PreparedImage> {
    const contextDir = await harness.hostDir();
    const Dockerfile = 'ARG BASE_IMAGE=x\nFROM ${BASE_IMAGE}\nWORKDIR /app\nRUN echo of image > /tmp/of-image.txt\n';
    await writeTree(contextDir, { Dockerfile });
    const source = { kind: 'build', contextDigest: Digest.parse('a'.repeat(64)) } as const;
    return harness.provider.prepareImage(source, contextDir, new AbortController().signal);
  }

  test('an engine that is away is our fault', async () => {
    process.env['DOCKER_HOST'] = 'unix:///nowhere/docker.sock';
    try {
      const provider = harness.another();
      await expect(provider.check()).rejects.toMatchObject({ blame: 'infra', code: 'engine_unavailable' });
    } finally {
      delete process.env['DOCKER_HOST'];
    }
  });

  test('a disk with too little space is refused before anything is made', async () => {
    const provider = new DockerSandboxProvider({
      namespace: harness.namespace,
      baseImage: testImage(),
      minFreeMb: 1_000_000_000,
    });
    await expect(provider.check()).rejects.toMatchObject({ blame: 'infra', code: 'disk_full' });
  });
});
