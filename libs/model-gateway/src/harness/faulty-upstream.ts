import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as it arrived at the provider. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** Empty where bodies are not read. */
  readonly body: Buffer;
  readonly stream: IncomingMessage;
}

export type Answering = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface FaultyUpstream {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Answers to the next requests, one each; then `otherwise`. */
  readonly next: Answering[];
  otherwise: Answering;
  /** Whether bodies are read before the answer. */
  readsBodies: boolean;
  close(): Promise<void>;
}

/** A provider that answers whatever a test wants, over real HTTP. */
export async function startFaultyUpstream(otherwise: Answering): Promise<FaultyUpstream> {
  const server = createServer((request, response) => void serve(request, response));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers, rawHeaders } = request;
    const body = upstream.readsBodies ? await buffer(request) : Buffer.alloc(0);
    const seen = { method, url, headers, rawHeaders, body, stream: request };
    upstream.seen.push(seen);
    await (upstream.next.shift() ?? upstream.otherwise)(response, seen);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen: [] as SeenRequest[],
    next: [] as Answering[],
    otherwise,
    readsBodies: true,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return upstream;
}

/** JSON with a status; headers beside. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answering {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

export function failing(status: number, headers: Record<string, string> = {}): Answering {
  return json(status, { error: { message: `scripted ${status}`, type: 'scripted' } }, headers);
}

/** Node tells nobody when it has written nothing. */
async function written(response: ServerResponse, piece: string | Buffer): Promise<void> {
  if (piece.length === 0) return;
  await new Promise<void>((sent) => {
    response.write(piece, () => {
      sent();
    });
  });
}

/** A stream of these pieces, each sent for itself. */
export function stream(pieces: readonly (string | Buffer)[], headers: Record<string, string> = {}): Answering {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    for (const piece of pieces) await written(response, piece);
    response.end();
  };
}

/** Sends these pieces and then cuts the connection. */
export function cutStream(pieces: readonly string[]): Answering {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (const piece of pieces) await written(response, piece);
    response.socket?.destroySoon();
  };
}

/** Cuts the connection without an answer. */
export const hangUp: Answering = (response) => {
  response.socket?.destroy();
};

/** Never answers. */
export const hang: Answering = () => undefined;
