import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server on the loopback interface on which what the client says can be held back. */
export class HoldingProxy {
  private holding = false;
  private readonly held: (() => void)[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (client) => {
      this.join(client);
    });
  }

  static async to(target: number): Promise<HoldingProxy> {
    const server = createServer();
    const proxy = new HoldingProxy(server, target);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Whether the client has said something that the server does not know yet. */
  get holdsSomething(): boolean {
    return this.held.length > 0;
  }

  hold(): void {
    this.holding = true;
  }

  letGo(): void {
    this.holding = false;
    for (const send of this.held.splice(0)) send();
  }

  /** Ends every connection; the client may connect again. */
  cut(): void {
    this.held.splice(0);
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    const upstream = connect(this.target, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(one);
      // Either side may be cut at any time; the client then connects again.
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (chunk) => {
      const send = (): void => void upstream.write(chunk);
      if (this.holding) this.held.push(send);
      else send();
    });
  }
}
