import Docker from 'dockerode';
import { describeNeeding, eventually, missingTestImage, testImage } from '@assay/testing';
import { SandboxHarness, shell } from '../../conformance/sandbox-harness';
import { SILENT } from '../../sandbox-log';
import type { Sandbox } from '../../sandbox.port';
import { DockerSandboxProvider } from '../docker-provider';
import { EngineDisk } from './engine-disk';

const harness = new SandboxHarness({
  name: 'docker',
  provider: (namespace) => new DockerSandboxProvider({ namespace, baseImage: testImage() }),
});
const docker = new Docker();
const PIECE = 20_000_000;

/** Python that makes a file without a name, and then does with it what is told. */
function holding(then: string): string {
  const program = `
import ctypes, mmap, os, socket, threading, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
def unnamed(path="gone"):
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    os.unlink(path)
    os.write(fd, bytes(${PIECE}))
    return fd
${then}
print("held", flush=True)
time.sleep(300)`;
  return `exec python3 -c '${program}'`;
}

describeNeeding(missingTestImage(), 'what containers hold on the disk of the engine', () => {
  let disk: EngineDisk;
  beforeAll(async () => {
    await harness.open();
    const content = { node: process.execPath, program: null };
    disk = new EngineDisk(docker, { namespace: harness.namespace, content, logger: SILENT });
    await eventually(async () => (await disk.look()) !== null, { timeoutMs: 60_000 });
  });
  afterAll(async () => {
    await disk.close();
    await harness.close();
  });

  async function heldBy(script: string, user: string | null = null): Promise<{ bytes: number; hides: boolean }> {
    const sandbox = await harness.sandbox({ user });
    const running = begun(sandbox, script);
    await eventually(running.isHolding, { timeoutMs: 30_000, what: 'the script to hold its file' });
    const sight = await disk.look();
    await sandbox.kill();
    await running.end;
    expect(sight?.freeBytes).toBeGreaterThan(0);
    return sight?.held[sandbox.id] ?? { bytes: -1, hides: false };
  }

  function begun(sandbox: Sandbox, script: string) {
    let said = '';
    const onOutput = (chunk: Buffer): void => void (said += chunk.toString());
    const end = sandbox.exec(shell(script, { timeoutMs: 120_000, onOutput })).catch((error: unknown) => error);
    return { end, isHolding: () => said.includes('held') };
  }

  test.each([
    ['open', 'fd = unnamed()'],
    ['never named', 'fd = os.open(".", os.O_TMPFILE | os.O_RDWR); os.write(fd, bytes(20000000))'],
    ['open twice and mapped', 'fd = unnamed(); two = os.dup(fd); kept = mmap.mmap(fd, 4096)'],
    ['mapped only', 'fd = unnamed(); libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0); os.close(fd)'],
    [
      'open in one thread only',
      'held = threading.Event()\ndef hold():\n    libc.unshare(0x400); fd = unnamed(); held.set(); time.sleep(300)\n' +
        'threading.Thread(target=hold, daemon=True).start(); held.wait()',
    ],
  ])('a file without a name that is %s is weighed, once', async (_name, then) => {
    const { bytes, hides } = await heldBy(holding(then));
    expect(hides).toBe(false);
    expect(bytes).toBeGreaterThanOrEqual(PIECE);
    expect(bytes).toBeLessThan(PIECE * 1.5);
  });

  test('processes of another user are looked at too', async () => {
    expect((await heldBy(holding('fd = unnamed("/var/tmp/gone")'), '1000:1000')).bytes).toBeGreaterThanOrEqual(PIECE);
  });

  test('what files take up is weighed, hard links once, and not what sparse ones seem to hold', async () => {
    const sandbox = await harness.sandbox();
    const script = `head -c ${PIECE} /dev/zero > a; ln a b; mkdir d; head -c ${PIECE} /dev/zero > d/c; truncate -s 1T sparse`;
    await sandbox.exec(shell(script));
    const { GraphDriver } = await docker.getContainer(sandbox.id).inspect();
    const { UpperDir: dir } = GraphDriver.Data as unknown as { UpperDir: string };
    const weighed = await disk.weigh(dir, 10 * PIECE);
    expect(weighed).toBeGreaterThanOrEqual(2 * PIECE);
    expect(weighed).toBeLessThan(2.5 * PIECE);
    expect(await disk.weigh(dir, PIECE)).toBeGreaterThan(PIECE);
    expect([await disk.weigh(`${dir}-absent`, PIECE), await disk.weigh('/proc', PIECE)]).toEqual([null, null]);
  });

  test('files with a name, and files in memory, are not weighed', async () => {
    const then =
      'fd = os.open("named", os.O_RDWR | os.O_CREAT); os.write(fd, bytes(20000000)); ' +
      'm = os.memfd_create("m"); os.write(m, bytes(20000000)); s = unnamed("/dev/shm/gone"); t = unnamed("/tmp/gone")';
    expect(await heldBy(holding(then))).toEqual({ bytes: 0, hides: false });
  });

  test('a file on its way through a socket is hidden, and that is seen', async () => {
    const then = 'fd = unnamed(); a, b = socket.socketpair(); socket.send_fds(a, [b"x"], [fd]); os.close(fd)';
    expect(await heldBy(holding(then))).toEqual({ bytes: 0, hides: true });
  });

  test('who hides more than its bound on a disk that gets full is ended, and its neighbour works on', async () => {
    const options = { namespace: harness.namespace, baseImage: testImage(), diskLookMs: 200 };
    const provider = new DockerSandboxProvider({ ...options, nearlyFullMb: Number.MAX_SAFE_INTEGER });
    const limits = { cpus: 1, memoryMb: 256, diskMb: 200, pids: 64 };
    const neighbour = await harness.sandbox({ limits }, provider);
    const working = neighbour.exec(
      shell('head -c 150000000 /dev/zero > own; echo held; while [ ! -e stop ]; do :; done', { timeoutMs: 120_000 }),
    );
    const hiding = await harness.sandbox({ limits }, provider);
    // No more than 3 GB, should nobody end it.
    const then =
      'a, b = socket.socketpair()\nfor n in range(150):\n    fd = unnamed(); socket.send_fds(a, [b"x"], [fd]); os.close(fd); time.sleep(0.1)';
    const end = await begun(hiding, holding(then)).end;
    expect(end).toMatchObject({ blame: 'agent', code: 'disk_exceeded' });
    await neighbour.putFile('stop', Buffer.alloc(0));
    expect((await working).exitCode).toBe(0);
    await provider.close();
  });

  test('an engine that lets nobody look is said once, and nobody is ended for it', async () => {
    const said: string[] = [];
    const logger = { ...SILENT, warn: (_: object, sentence: string) => void said.push(sentence) };
    const blind = new EngineDisk(docker, {
      namespace: harness.namespace,
      content: { node: '/nowhere', program: null },
      logger,
    });
    expect(await blind.look()).toBeNull();
    await eventually(() => said.length > 0);
    expect(await blind.look()).toBeNull();
    await blind.close();
    expect(said).toEqual(['Nobody can look at what sandboxes hold on the disk; only files with a name are counted']);
  });

  test('it ends with its worker, and is not left over', async () => {
    const label = [`assay.namespace=${harness.namespace}`, 'assay.role=disk'];
    const mine = () => docker.listContainers({ all: true, filters: { label } });
    const one = new EngineDisk(docker, {
      namespace: harness.namespace,
      content: { node: process.execPath, program: null },
      logger: SILENT,
    });
    const before = (await mine()).length;
    await eventually(async () => (await Promise.all([one.look(), one.look()]))[1] !== null, {
      timeoutMs: 60_000,
    });
    expect(await mine()).toHaveLength(before + 1);
    await one.close();
    expect(await one.look()).toBeNull();
    await eventually(async () => (await mine()).length === before);
  });
});
