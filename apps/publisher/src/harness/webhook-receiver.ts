import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How the receiver answers: a status with headers, or (`hang`) not at all. */
export type Reply = { readonly status: number; readonly headers?: Record<string, string> } | 'hang';

/** Somebody's webhook, over real HTTP. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** For the calls to come. */
  reply: Reply = { status: 204 };

  private readonly server = createServer((request, response) => {
    void text(request).then((body) => {
      this.received.push({ path: request.url ?? '', headers: request.headers, body });
      if (this.reply === 'hang') return;
      response.writeHead(this.reply.status, this.reply.headers ?? {});
      response.end('an answer that nobody reads');
    });
  });

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
