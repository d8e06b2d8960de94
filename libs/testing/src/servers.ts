import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from './eventually';

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run through Jest with tools/test/global-setup.cjs`);
  return value;
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * An empty database of its own on the test PostgreSQL.
 * @param password of a role of its own that owns it and is in its address; absent: whoever the tests are
 */
export async function freshDatabase(password?: string): Promise<TestDatabase> {
  const server = setting('ASSAY_TEST_DATABASE_URL');
  const name = `t_${randomBytes(8).toString('hex')}`;
  const admin = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: server });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = (): Promise<void> => admin(`drop database if exists ${name} with (force)`);
  if (password === undefined) {
    await admin(`create database ${name}`);
    return { url: url.toString(), drop };
  }
  await admin(`create role ${name} login password '${password.replaceAll("'", "''")}'`);
  await admin(`create database ${name} owner ${name}`);
  Object.assign(url, { username: name, password });
  return { url: url.toString(), drop: () => drop().then(() => admin(`drop role if exists ${name}`)) };
}

/** A TCP port of the loopback interface that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A real nats-server of a test's own, on a port that it keeps over restarts. */
export class TestNats {
  private child: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    private readonly dir: string,
  ) {}

  static async start(): Promise<TestNats> {
    const dir = await mkdtemp(join(tmpdir(), 'assay-nats-'));
    const nats = new TestNats(await freePort(), dir);
    await nats.restart();
    return nats;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Starts the server again on the same port, with the store as it is. */
  async restart(): Promise<void> {
    const config = join(this.dir, 'nats.conf');
    const store = join(this.dir, 'js');
    await writeFile(
      config,
      `listen: "127.0.0.1:${this.port}"\njetstream { store_dir: "${store}", sync_interval: always }\n`,
    );
    this.child = spawn(setting('ASSAY_NATS_SERVER'), ['-c', config], { stdio: 'ignore' });
    await eventually(() => this.greets(), { timeoutMs: 15_000, what: 'nats-server to be ready' });
  }

  /** Ends the server by SIGKILL; its store stays. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Throws the whole store away, as a lost disk would. The server must be down. */
  async loseStore(): Promise<void> {
    await rm(join(this.dir, 'js'), { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.dir, { recursive: true, force: true });
  }

  private greets(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.setTimeout(1_000, () => socket.destroy(new Error('timeout')));
      socket.once('data', (chunk) => {
        socket.destroy();
        resolve(chunk.toString('utf8').includes('"jetstream":true'));
      });
      socket.once('error', () => {
        resolve(false);
      });
    });
  }
}
