import Docker from 'dockerode';
import { describeNeeding, eventually, missingTestImage, testImage } from '@assay/testing';
import { SandboxHarness, shell, workKeyOf } from '../conformance/sandbox-harness';
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
