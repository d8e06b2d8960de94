import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';

/**
 * HTTPS in front of a dispatcher, as a proxy is. It has the dispatcher's whole answer before it hands a byte of it on, so a
 * test can do something in between.
 */
export class TlsProxy {
  /** Done once the dispatcher has answered, before its caller hears of it. */
  beforeAnswer: (status: number) => Promise<void> = () => Promise.resolve();

  private constructor(
    private readonly server: Server,
    readonly caFile: string,
  ) {}

  /** @param dir takes the certificate */
  static async start(target: string, dir: string): Promise<TlsProxy> {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'proxy' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const caFile = join(dir, 'proxy.pem');
    await writeFile(caFile, cert);
    const server = createServer({ cert, key });
    const proxy = new TlsProxy(server, caFile);
    server.on('request', (asked: IncomingMessage, answer: ServerResponse) => {
      proxy.handOn(target, asked, answer).catch(() => answer.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async handOn(target: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method, headers, url = '/' } = asked;
    const onward = request(`${target}${url}`, { method, headers, agent: false });
    onward.end(await buffer(asked));
    const [given] = (await once(onward, 'response')) as [IncomingMessage];
    const body = await buffer(given);
    await this.beforeAnswer(given.statusCode ?? 0);
    answer.writeHead(given.statusCode ?? 502, given.headers);
    answer.end(body);
  }
}
