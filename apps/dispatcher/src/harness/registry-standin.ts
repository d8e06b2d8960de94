import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type RegistryReply = (request: IncomingMessage, response: ServerResponse) => void;

/** A registry on the loopback interface that speaks the part of the API which names images: tokens and manifests' digests. */
export class TestRegistry {
  /** `METHOD path` of every request, in order. */
  readonly asked: string[] = [];
  /** Most requests that were open at the same time. */
  mostOpen = 0;
  /** True: who has no token is sent for one. */
  wantsToken = false;
  /** In place of the usual answer; null: the usual one. */
  reply: RegistryReply | null = null;
  /** Milliseconds until an answer. */
  delayMs = 0;
  private open = 0;
  private readonly digests = new Map<string, string>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestRegistry> {
    const server = createServer();
    const registry = new TestRegistry(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      registry.take(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return registry;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    if (this.server.listening) await once(this.server, 'close');
  }

  /** Image names as this registry has them, each with a digest of its own. Returns the first one's digest. */
  has(...names: readonly string[]): string {
    names.forEach((name, at) => this.digests.set(name, `sha256:${(at + 1).toString(16).padStart(64, '0')}`));
    return this.digests.get(names[0] ?? '') ?? '';
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    this.asked.push(`${String(request.method)} ${String(request.url)}`);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    response.on('close', () => (this.open -= 1));
    setTimeout(() => {
      (this.reply ?? this.usual)(request, response);
    }, this.delayMs);
  }

  /** What it answers by itself. */
  readonly usual: RegistryReply = ({ url = '', headers }, response) => {
    if (url.startsWith('/token?')) {
      const scope = new URL(url, 'http://registry').searchParams.get('scope');
      response.end(JSON.stringify({ token: `token for ${String(scope)}` }));
      return;
    }
    const [, repository = '', tag = ''] = /^\/v2\/(.+)\/manifests\/([^/]+)$/.exec(url) ?? [];
    const scope = `repository:${repository}:pull`;
    if (this.wantsToken && headers.authorization !== `Bearer token for ${scope}`) {
      const challenge = `Bearer realm="http://${this.host}/token",service="registry.test",scope="${scope}"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    const digest = this.digests.get(`${repository}:${tag}`);
    if (digest === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'docker-content-digest': digest }).end();
  };
}
