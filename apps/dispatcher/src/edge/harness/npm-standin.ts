import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry of npm over real HTTP that knows only what a test publishes. The real npm asks it. */
export class NpmStandin {
  /** Packages that were asked for, oldest first. */
  readonly asked: string[] = [];
  /** In place of every answer, with this status; null: as usual. */
  broken: number | null = null;
  private readonly versions = new Map<string, string[]>();
  private readonly server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://registry').pathname).slice(1);
    this.asked.push(name);
    const known = this.versions.get(name);
    const status = this.broken ?? (known === undefined ? 404 : 200);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? this.document(name, known ?? []) : { error: `scripted ${status}` }));
  });

  static async start(): Promise<NpmStandin> {
    const standin = new NpmStandin();
    standin.server.listen(0, '127.0.0.1');
    await once(standin.server, 'listening');
    return standin;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  publish(name: string, version: string): void {
    this.versions.set(name, [...(this.versions.get(name) ?? []), version]);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private document(name: string, versions: readonly string[]): object {
    const entries = versions.map((version) => {
      const dist = { tarball: `${this.url}/${name}/-/${version}.tgz`, integrity: `sha512-${version}` };
      return [version, { name, version, dist }] as const;
    });
    return { name, 'dist-tags': {}, versions: Object.fromEntries(entries) };
  }
}
