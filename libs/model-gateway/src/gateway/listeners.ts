import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { InfraError } from '@assay/failures';
import { refusalBody, UNKNOWN_PATH } from '../wire/refusal';

/** sun_path of Linux has 108 bytes, the last one zero (unix(7)); macOS has fewer. */
const LONGEST_SOCKET_PATH = 103;

/** Longer than an agent usually works between two calls, so that its connection is still there. Milliseconds. */
const KEEP_ALIVE_MS = 90_000;

export function httpServer(listener: RequestListener): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  // Without a listener Node closes the connection of a CONNECT without a word.
  server.on('connect', (_request, socket) => {
    const body = refusalBody(UNKNOWN_PATH, 'chat');
    const head = `HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
    socket.end(`${head}\r\n\r\n${body}`);
  });
  return server;
}

/**
 * Listens on a Unix socket. One that a killed gateway left is replaced, one that answers is not. Everybody may connect: the
 * sidecar that does has a user of its own, and it is the token that counts.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) {
    throw failed(path, `it has ${Buffer.byteLength(path)} bytes, and a socket's path may have ${LONGEST_SOCKET_PATH}`);
  }
  if (await answers(path)) throw failed(path, 'another process listens there');
  await rm(path, { force: true });
  await listening(server, path, () => server.listen(path));
  await chmod(path, 0o666);
}

/** Listens on the loopback interface. Resolves with the port. */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  await listening(server, `127.0.0.1:${port}`, () => server.listen(port, '127.0.0.1'));
  return (server.address() as AddressInfo).port;
}

export async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

async function listening(server: Server, where: string, listen: () => void): Promise<void> {
  const ready = once(server, 'listening');
  listen();
  await ready.catch((error: unknown) => {
    throw failed(where, error instanceof Error ? error.message : String(error), error);
  });
}

/** Whether somebody accepts connections on the socket. */
async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    // ENOENT, ECONNREFUSED, ENOTSOCK: nobody is there.
    return false;
  } finally {
    socket.destroy();
  }
}

function failed(where: string, reason: string, cause?: unknown): InfraError {
  return new InfraError(`the model gateway cannot listen on ${where}: ${reason}`, {
    code: 'gateway_not_listening',
    phase: 'prepare',
    details: { where },
    cause,
  });
}
