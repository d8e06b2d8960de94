import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';

/** One entry of an archive: a file's content, or whatever else tar knows. */
export type Entry = readonly [header: Parameters<Pack['entry']>[0], content?: string];

/** An archive as `npm pack` makes it. */
export async function archive(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const [header, content] of entries) tar.entry(header, content ?? '');
  tar.finalize();
  return buffer(tar.pipe(createGzip()));
}

export const sha512Of = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

interface Served {
  readonly bytes: Buffer;
  /** What the registry says it is; ordinarily what it is. */
  readonly integrity: string;
}

/** A registry of npm over real HTTP that has what a test gives it. The real npm asks it. */
export class NpmRegistryServer {
  /** Archives that were asked for, oldest first. */
  readonly fetched: string[] = [];
  /** While set, archives are begun and never ended. */
  hangs = false;
  private readonly packages = new Map<string, Map<string, Served>>();
  private readonly server = createServer((request, response) => {
    this.answer(request, response);
  });

  static async start(): Promise<NpmRegistryServer> {
    const registry = new NpmRegistryServer();
    registry.server.listen(0, '127.0.0.1');
    await once(registry.server, 'listening');
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  publish(name: string, version: string, bytes: Buffer, integrity = sha512Of(bytes)): void {
    const versions = this.packages.get(name) ?? new Map<string, Served>();
    versions.set(version, { bytes, integrity });
    this.packages.set(name, versions);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://r').pathname).slice(1);
    const [name = '', file] = path.split('/-/');
    const versions = this.packages.get(name);
    const version = file?.replace(/\.tgz$/, '');
    if (versions === undefined) response.writeHead(404).end('{"error":"Not found"}');
    else if (version === undefined) response.end(JSON.stringify(this.document(name, versions)));
    else this.send(response, `${name}@${version}`, versions.get(version));
  }

  private send(response: ServerResponse, spec: string, served: Served | undefined): void {
    if (served === undefined) {
      response.writeHead(404).end();
      return;
    }
    this.fetched.push(spec);
    if (this.hangs) response.write(served.bytes.subarray(0, 10));
    else response.end(served.bytes);
  }

  private document(name: string, versions: ReadonlyMap<string, Served>): object {
    const entries = [...versions].map(([version, { integrity }]) => [
      version,
      { name, version, dist: { tarball: `${this.url}/${name}/-/${version}.tgz`, integrity } },
    ]);
    return { name, 'dist-tags': {}, versions: Object.fromEntries(entries) as unknown };
  }
}
