import Docker from 'dockerode';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { eventually, freePort } from '@assay/testing';
import { progress } from '../docker/images/progress';
import { removeTree } from '../remove-tree';

/** Debian's package and program of the distribution registry. */
const PROGRAM = 'docker-registry';

/** Null when a real registry can be started here, else what is missing. */
export function missingRegistry(): string | null {
  const { error } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });
  return error === undefined ? null : `the program ${PROGRAM} (Debian package ${PROGRAM})`;
}

/** A login that `RealRegistry.start` can ask for, and bcrypt of its password. */
export const TEST_LOGIN = { username: 'team', password: 'real-secret-canary' } as const;
const TEST_LOGIN_HASH = '$2b$04$qlDhsl6siK/CroWvwkDxduqpsY.Q74O7MHW.zMFBZWtVc9axpGBju';

/** A registry as it is run in production, on this machine, behind a front that can say "too many requests". */
export class RealRegistry {
  /** Manifests that were asked for, with the status of the answer. */
  readonly asked: string[] = [];
  /** So many of the next requests for a manifest are told "too many". */
  refusing = 0;
  private readonly docker = new Docker();

  private constructor(
    private readonly dir: string,
    private readonly port: number,
    private readonly registry: ChildProcess,
    private readonly front: Server,
  ) {}

  /** @param access `login`: for nobody but who has `TEST_LOGIN` */
  static async start(access: 'open' | 'login' = 'open'): Promise<RealRegistry> {
    const [dir, port] = [await mkdtemp(join(tmpdir(), 'assay-registry-')), await freePort()];
    const storage = { filesystem: { rootdirectory: join(dir, 'storage') } };
    const passwords = join(dir, 'htpasswd');
    await writeFile(passwords, `${TEST_LOGIN.username}:${TEST_LOGIN_HASH}\n`);
    const config = {
      version: 0.1,
      ...(access === 'open' ? {} : { auth: { htpasswd: { realm: 'test', path: passwords } } }),
      log: { accesslog: { disabled: true } },
      storage,
      http: { addr: `127.0.0.1:${port}` },
    };
    await writeFile(join(dir, 'config.yml'), JSON.stringify(config));
    const child = spawn(PROGRAM, ['serve', join(dir, 'config.yml')], { cwd: dir, stdio: 'ignore' });
    const front = createServer();
    const registry = new RealRegistry(dir, port, child, front);
    front.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      registry.pass(incoming, response);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const up = access === 'open' ? 200 : 401;
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/v2/`).catch(() => null))?.status === up);
    return registry;
  }

  /** `127.0.0.1:<port>` */
  get host(): string {
    return `127.0.0.1:${(this.front.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.front.closeAllConnections();
    this.front.close();
    const ended = once(this.registry, 'exit');
    this.registry.kill('SIGKILL');
    await ended;
    await removeTree(this.dir);
  }

  /** Pushes a new image with one layer of so many random bytes; resolves with its digest. Nothing of it stays here. */
  async push(name: string, bytes = 10_000, tag = 'v1'): Promise<string> {
    const tar = pack();
    tar.entry({ name: 'content' }, randomBytes(bytes));
    tar.finalize();
    const repo = `${this.host}/${name}`;
    const content = Readable.from([await buffer(tar)]);
    await progress(this.docker, await this.docker.importImage(content, { repo, tag, changes: 'WORKDIR /work' }));
    const image = this.docker.getImage(`${repo}:${tag}`);
    await progress(this.docker, await image.push({ authconfig: { ...TEST_LOGIN } }));
    const [digest] = (await image.inspect()).RepoDigests.map((known) => known.replace(/^.*@/, ''));
    if (digest === undefined) throw new Error(`${repo}:${tag} has no digest after its push`);
    await image.remove({ force: true });
    return digest;
  }

  private pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { url: path = '', method, headers } = incoming;
    const isPull = path.includes('/manifests/') && method !== 'PUT';
    if (isPull && this.refusing > 0) {
      this.refusing -= 1;
      this.asked.push(`429 ${path}`);
      response.writeHead(429, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errors: [{ code: 'TOOMANYREQUESTS', message: 'rate exceeded' }] }));
      return;
    }
    const onward = request({ host: '127.0.0.1', port: this.port, path, method, headers }, (answer) => {
      if (isPull) this.asked.push(`${String(answer.statusCode)} ${path}`);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    incoming.pipe(onward);
  }
}
