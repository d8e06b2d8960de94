import type { ServerResponse } from 'node:http';
import { refusalBody, type Refusal } from '../wire/refusal';
import type { Protocol } from '../wire/routes';

/** Sends an answer of the gateway's own. `close`: the request was not read to its end. */
export function refuse(response: ServerResponse, refusal: Refusal, protocol: Protocol, close = false): void {
  const body = refusalBody(refusal, protocol);
  sendWhole(
    response,
    refusal.status,
    { 'content-type': 'application/json', ...refusal.headers },
    Buffer.from(body),
    close,
  );
}

/** Sends a whole body, unless the client is gone. */
export function sendWhole(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  close = false,
): void {
  if (response.destroyed || response.headersSent) return;
  const connection = close ? { connection: 'close' } : {};
  response.writeHead(status, { ...headers, 'content-length': body.length, ...connection }).end(body);
}

/** Writes a piece and waits while the client is slower than the provider. Throws when the client goes away. */
export async function writePiece(response: ServerResponse, piece: Buffer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (piece.length === 0 || response.write(piece)) return;
  await new Promise<void>((resolve, reject) => {
    const done = (): void => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    response.on('drain', done);
    signal.addEventListener('abort', done);
  });
}

/** Aborted when the client goes away; whoever else aborts it cuts the client's connection. */
export function abortedWith(response: ServerResponse): AbortController {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has gone away'));
  });
  controller.signal.addEventListener('abort', () => response.destroy());
  return controller;
}
