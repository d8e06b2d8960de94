import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to one request on its way to the server. */
export type Fault =
  /** It is answered here, in S3's form of an error, and never reaches the server. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: string }
  /** Its connection is closed without an answer. */
  | { readonly kind: 'hang up' }
  /** Of the server's answer only so many bytes of the body arrive. */
  | { readonly kind: 'cut'; readonly after: number }
  /** The first byte of its own body is changed on the way. */
  | { readonly kind: 'damage' };

/** Stands between a store and a real server of S3: passes everything on, but for the faults that wait for it. */
export class S3Between {
  /** Methods of the requests that came, in order. */
  readonly seen: string[] = [];
  private faults: Fault[] = [];

  private constructor(
    private readonly server: Server,
    private readonly behind: string,
  ) {
    server.on('request', (incoming: IncomingMessage, reply: ServerResponse) => {
      this.seen.push(incoming.method ?? '');
      this.meet(this.faults.shift() ?? null, incoming, reply);
    });
  }

  static async start(behind: string): Promise<S3Between> {
    const server = createServer();
    const between = new S3Between(server, behind);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return between;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next requests meet these, one each; what has been seen is forgotten. */
  next(...faults: Fault[]): void {
    this.faults = faults;
    this.seen.length = 0;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private meet(fault: Fault | null, incoming: IncomingMessage, reply: ServerResponse): void {
    switch (fault?.kind) {
      case 'answer':
        incoming.resume();
        reply.writeHead(fault.status, { 'content-type': 'application/xml' });
        reply.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>as the test wants</Message></Error>`);
        return;
      case 'hang up':
        incoming.socket.destroy();
        return;
      case 'cut':
      case 'damage':
      case undefined:
        this.pass(fault, incoming, reply);
    }
  }

  private pass(fault: Fault | null, incoming: IncomingMessage, reply: ServerResponse): void {
    const { method, url, headers } = incoming;
    const onward = request(`${this.behind}${url ?? ''}`, { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 0, answer.headers);
      if (fault?.kind === 'cut') cutAfter(fault.after, answer, reply);
      else answer.pipe(reply);
    });
    onward.on('error', () => incoming.socket.destroy());
    let intact = fault?.kind !== 'damage';
    incoming.on('data', (chunk: Buffer) => {
      if (!intact && chunk.length > 0) chunk.writeUInt8(chunk.readUInt8(0) ^ 1, 0);
      intact = true;
      onward.write(chunk);
    });
    incoming.on('end', () => onward.end());
  }
}

function cutAfter(bytes: number, answer: IncomingMessage, reply: ServerResponse): void {
  let left = bytes;
  answer.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, left);
    left -= part.length;
    reply.write(part, () => {
      if (left === 0) reply.socket?.destroy();
    });
    if (left === 0) answer.destroy();
  });
}
