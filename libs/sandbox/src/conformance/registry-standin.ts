import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

interface Blob {
  readonly type: string;
  readonly bytes: Buffer;
}

/** A registry of its own on the loopback interface, which an engine asks without TLS. Serves what it was given. */
export class RegistryStandin {
  /** Paths that were asked for, with their answers' status. */
  readonly asked: string[] = [];
  /** So many of the next requests for a manifest are told "too many". */
  refusing = 0;
  private held: { readonly release: Promise<void> } | null = null;
  private readonly blobs = new Map<string, Blob>();
  private readonly manifests = new Map<string, string>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<RegistryStandin> {
    const server = createServer();
    const registry = new RegistryStandin(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const waits = request.url?.includes('/blobs/') === true ? registry.held?.release : undefined;
      void Promise.resolve(waits).then(() => {
        registry.answer(request, response);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return registry;
  }

  /** `127.0.0.1:<port>` */
  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Makes an image with one layer of these bytes; resolves with the digest of its manifest. */
  async add(name: string, tag: string, size = 10_000, workdir = '/work'): Promise<string> {
    const tar = pack();
    tar.entry({ name: 'content' }, randomBytes(size));
    tar.finalize();
    const content = await buffer(tar);
    const layer = this.put('application/vnd.docker.image.rootfs.diff.tar.gzip', gzipSync(content));
    const rootfs = { type: 'layers', diff_ids: [sha256(content)] };
    const history = [{ created: '2026-01-01T00:00:00Z', created_by: `layer ${layer.digest}` }];
    const image = { architecture: 'amd64', os: 'linux', config: { WorkingDir: workdir, Cmd: ['x'] }, rootfs, history };
    const config = this.put('application/vnd.docker.container.image.v1+json', Buffer.from(JSON.stringify(image)));
    const manifest = { schemaVersion: 2, mediaType: MANIFEST, config, layers: [layer] };
    const { digest } = this.put(MANIFEST, Buffer.from(JSON.stringify(manifest)));
    this.manifests.set(`${name}/manifests/${tag}`, digest);
    this.manifests.set(`${name}/manifests/${digest}`, digest);
    return digest;
  }

  /** Answers no request for a layer until the returned function is called. */
  hold(): () => void {
    let release: () => void = () => undefined;
    this.held = {
      release: new Promise((resolve) => {
        release = resolve;
      }),
    };
    return () => {
      this.held = null;
      release();
    };
  }

  /** The same image under another name. */
  alias(name: string, digest: string): void {
    this.manifests.set(`${name}/manifests/${digest}`, digest);
  }

  private put(type: string, bytes: Buffer): { mediaType: string; size: number; digest: string } {
    const digest = sha256(bytes);
    this.blobs.set(digest, { type, bytes });
    return { mediaType: type, size: bytes.length, digest };
  }

  private answer({ url = '', method }: IncomingMessage, response: ServerResponse): void {
    const path = url.replace(/^\/v2\//, '').replace(/\?.*$/, '');
    if (path === '') {
      response.end('{}');
      return;
    }
    const refused = path.includes('/manifests/') && this.refusing > 0;
    if (refused) this.refusing -= 1;
    const digest = this.manifests.get(path) ?? /\/blobs\/(sha256:.*)$/.exec(path)?.[1];
    const blob = digest === undefined ? undefined : this.blobs.get(digest);
    const status = refused ? 429 : blob === undefined ? 404 : 200;
    this.asked.push(`${status} ${path}`);
    if (blob === undefined || refused) {
      const code = refused ? 'TOOMANYREQUESTS' : 'MANIFEST_UNKNOWN';
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errors: [{ code, message: refused ? 'rate exceeded' : 'manifest unknown' }] }));
      return;
    }
    const { type, bytes } = blob;
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length, 'docker-content-digest': digest });
    response.end(method === 'HEAD' ? undefined : bytes);
  }
}

function sha256(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
