import { createHash } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * One holder per name on this host, whatever the process. The lock is a socket in Linux's abstract namespace: the kernel gives
 * it back when its holder dies, however that happens, and a waiter that is connected to it hears of that at once. Elsewhere,
 * and between containers with networks of their own, nobody waits; whoever uses it must be right without it.
 */
export class HostLock {
  private constructor(
    private readonly server: Server | null,
    private readonly waiters: ReadonlySet<Socket>,
  ) {}

  /** Holds it (the caller must release it), or null after having waited for somebody who did. */
  static async takeOrWait(name: string, signal: AbortSignal): Promise<HostLock | null> {
    signal.throwIfAborted();
    if (process.platform !== 'linux') return new HostLock(null, new Set());
    const address = `\0assay-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
    const taken = await take(address);
    if (taken !== null) return taken;
    await waitFor(address, signal);
    signal.throwIfAborted();
    return null;
  }

  release(): void {
    this.server?.close();
    for (const waiter of this.waiters) waiter.destroy();
  }

  /** For `take`. */
  static held(server: Server, waiters: ReadonlySet<Socket>): HostLock {
    return new HostLock(server, waiters);
  }
}

function take(address: string): Promise<HostLock | null> {
  return new Promise((resolve, reject) => {
    const waiters = new Set<Socket>();
    const server = createServer((socket) => {
      waiters.add(socket);
      socket.once('error', () => socket.destroy());
      socket.once('close', () => waiters.delete(socket));
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(address, () => {
      resolve(HostLock.held(server, waiters));
    });
    server.unref();
  });
}

/** Until the holder lets go, or is not there any more. */
function waitFor(address: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const done = (): void => {
      signal.removeEventListener('abort', done);
      socket.destroy();
      resolve();
    };
    socket.once('error', done);
    socket.once('close', done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
