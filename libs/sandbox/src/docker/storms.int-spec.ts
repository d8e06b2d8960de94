import Docker from 'dockerode';
import { describeNeeding, missingTestImage, testImage } from '@assay/testing';
import { SandboxHarness, shell } from '../conformance/sandbox-harness';
import type { ExecResult, SandboxLimits } from '../sandbox.port';
import { DockerSandboxProvider } from './docker-provider';

const harness = new SandboxHarness({
  name: 'docker',
  provider: (namespace) => new DockerSandboxProvider({ namespace, baseImage: testImage() }),
});
const docker = new Docker();

/** The command's deadline, and what may be added to it until everything is over. Milliseconds. */
const DEADLINE_MS = 4_000;
const GRACE_MS = 10_000;

/** The first look at files without a name waits for the image in which it is done. Milliseconds. */
const UNNAMED_MS = 30_000;

const ROOMY: SandboxLimits = { cpus: 1, memoryMb: 256, diskMb: 200, pids: 64 };

interface Storm {
  readonly script: string;
  /** Of the command; default `DEADLINE_MS`. Milliseconds. */
  readonly deadlineMs?: number;
  /** What the command's end must look like; or the failure. */
  readonly end: Partial<ExecResult> | { readonly blame: string; readonly code: string };
}

const STORMS: Record<string, Storm> = {
  'a fork bomb': { script: 'bomb() { bomb | bomb & }; bomb; exec sleep 60', end: { exitCode: null, timedOut: true } },
  'a fork bomb that drops its environment': {
    script: `exec env -i /bin/bash -c 'bomb() { bomb | bomb & }; bomb; while :; do :; done'`,
    end: { exitCode: null, timedOut: true },
  },
  'loops that start spinners in sessions of their own, deaf to SIGTERM': {
    script: `for n in 1 2 3; do (while :; do setsid sh -c 'trap "" TERM; while :; do :; done' & done) & done; exec sleep 60`,
    end: { exitCode: null, timedOut: true },
  },
  'a full writable layer': {
    script: 'while :; do head -c 50000000 /dev/zero >> big; done',
    end: { blame: 'agent', code: 'disk_exceeded' },
  },
  'a full writable layer, written in the background': {
    script: '(setsid sh -c "while :; do head -c 50000000 /dev/zero >> big; done" >/dev/null 2>&1 &); sleep 60',
    end: { blame: 'agent', code: 'disk_exceeded' },
  },
  'sparse files that seem to hold more than any disk': {
    script: `for n in $(seq 1 40); do truncate -s 1T sparse$n; done; exec sleep 60`,
    deadlineMs: 8_000,
    end: { exitCode: null, timedOut: true },
  },
  'a full writable layer beside sparse files': {
    script: 'truncate -s 1T sparse; while :; do head -c 50000000 /dev/zero >> big; done',
    end: { blame: 'agent', code: 'disk_exceeded' },
  },
  'an unlinked file that grows without end': {
    script: 'exec 3>gone; rm gone; while :; do head -c 20000000 /dev/zero >&3; sleep 0.1; done',
    deadlineMs: UNNAMED_MS,
    end: { blame: 'agent', code: 'disk_exceeded' },
  },
  'an unlinked file that grows in a mapping only': {
    script: `exec python3 -c '
import ctypes, mmap, os, time
libc = ctypes.CDLL(None)
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
while True:
    fd = os.open("gone", os.O_RDWR | os.O_CREAT)
    os.unlink("gone")
    os.write(fd, bytes(20000000))
    libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
    os.close(fd)
    time.sleep(0.1)
'`,
    deadlineMs: UNNAMED_MS,
    end: { blame: 'agent', code: 'disk_exceeded' },
  },
  'a full /tmp': { script: 'head -c 500000000 /dev/zero > /tmp/big', end: { exitCode: 1, timedOut: false } },
  'a memory hog': {
    script: `exec node -e 'const kept = []; for (;;) kept.push(Buffer.alloc(8_000_000, 1));'`,
    end: { exitCode: null, outOfMemory: true, timedOut: false },
  },
  'a memory hog in many processes': {
    script: `for n in 1 2 3 4 5 6 7 8; do python3 -c 'x = [bytearray(10**7) for _ in range(20)]; import time; time.sleep(60)' & done; wait; exit 5`,
    end: { outOfMemory: true },
  },
  'an orphan in a session of its own': {
    script: `(setsid sh -c 'trap "" TERM HUP; while :; do sleep 1; done' &); echo done`,
    end: { exitCode: 0, timedOut: false },
  },
  'a process that ignores every signal that can be ignored': {
    script: `trap '' TERM INT HUP QUIT USR1 USR2 PIPE ALRM; while :; do sleep 1; done`,
    end: { exitCode: null, timedOut: true },
  },
  'a process that stops itself': { script: 'kill -STOP $$', end: { exitCode: null, timedOut: true } },
  'a talker without end': { script: 'yes', end: { exitCode: null, timedOut: true, truncated: true } },
  'a closed output': { script: 'exec >&- 2>&-; sleep 60', end: { exitCode: null, timedOut: true } },
};

describeNeeding(missingTestImage(), 'whatever rages in a container', () => {
  beforeAll(() => harness.open());
  afterAll(() => harness.close());

  test.each(Object.entries(STORMS))(
    '%s ends in time, as what it was, and the next starts clean',
    async (_name, storm) => {
      const { script, deadlineMs = DEADLINE_MS } = storm;
      const sandbox = await harness.sandbox({ limits: ROOMY });
      const started = Date.now();
      const request = shell(script, { timeoutMs: deadlineMs, maxOutputBytes: 65_536 });
      const end = await sandbox.exec(request).catch((error: unknown) => error);
      await sandbox.kill();
      expect(Date.now() - started).toBeLessThan(deadlineMs + GRACE_MS);
      expect(end).toMatchObject(storm.end);
      expect((await sandbox.getFile('greeting.txt', 100))?.toString()).toBe('hello\n');
      await sandbox.destroy();
      await expect(docker.getContainer(sandbox.id).inspect()).rejects.toMatchObject({ statusCode: 404 });
      const next = await harness.sandbox({ limits: ROOMY });
      const clean = await next.exec(shell('ls; ls -A /tmp /dev/shm; ls /proc | grep -c "^[0-9]"'));
      // An init, a sleep, and the three of this command.
      expect(clean.output.toString()).toMatch(/^greeting.txt\nsrc\n\/dev\/shm:\n\n\/tmp:\n[4-6]\n$/);
      await next.destroy();
    },
  );
});
