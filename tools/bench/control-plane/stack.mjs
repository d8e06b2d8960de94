import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findNatsServer, startNats } from '../../embedded/nats.mjs';
import { startPostgres } from '../../embedded/postgres.mjs';
import { freePort, stopChild } from '../../embedded/processes.mjs';
import { root } from '../../install/ensure.mjs';
import { writeSuite } from './suite.mjs';

const TOKEN = 'bench-token-bench-token-bench-token';

/** A PostgreSQL and a nats-server of the bench's own, and the services over them as processes. */
export class Stack {
  #children = new Map();
  #broken = null;

  constructor({ dir, postgres, nats, client, profileDir }) {
    this.dir = dir;
    this.postgres = postgres;
    this.nats = nats;
    this.client = client;
    this.profileDir = profileDir;
  }

  /** @param {{instances: number, profileDir: string | undefined}} options `profileDir`: CPU profiles of all services */
  static async start({ instances, profileDir }) {
    const dir = await mkdtemp(join(tmpdir(), 'assay-bench-'));
    // PostgreSQL's own user (where we are root) must come to its data.
    await chmod(dir, 0o755);
    const postgres = await startPostgres({ dataDir: join(dir, 'pg') });
    const nats = await startNats({ binary: (await findNatsServer()).binary, storeDir: join(dir, 'nats') });
    await writeSuite(join(dir, 'suites'), instances);
    await writeFile(join(dir, 'api-token'), TOKEN, { mode: 0o600 });
    await writeFile(join(dir, 'model-key'), 'unused-model-key', { mode: 0o600 });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    return new Stack({ dir, postgres, nats, client, profileDir });
  }

  async stop() {
    await Promise.all([...this.#children.keys()].map((name) => this.end(name)));
    await this.client.end();
    await this.nats.stop();
    await this.postgres.stop();
    await rm(this.dir, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Whatever is waited for ends with this error. */
  break(error) {
    this.#broken ??= error;
  }

  /** Process ids by name: servers, and what was started and not ended. */
  get pids() {
    const services = [...this.#children].map(([name, { child }]) => [name, child.pid]);
    return { PostgreSQL: this.postgres.pid, NATS: this.nats.pid, ...Object.fromEntries(services) };
  }

  /** Starts a service of apps/ and waits until it is ready. */
  async service(name, env = {}) {
    const port = await freePort();
    this.#spawn(name, join(root, 'apps', name, 'dist/main.js'), [], port, {
      ...this.#settings(name),
      ...env,
      ASSAY_HTTP_PORT: String(port),
    });
    await this.#until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok, `${name} to be ready`);
  }

  /** Starts another program over the same servers; resolves with the first message that it sends. */
  async program(name, file, args) {
    const child = this.#spawn(name, file, args, 0, this.#common());
    const [message] = await once(child, 'message');
    return message;
  }

  async end(name) {
    const { child } = this.#children.get(name);
    this.#children.delete(name);
    await stopChild(child);
  }

  /** Submits the suite and resolves with the run's id when all its trials wait to be sent. */
  async submit(limit) {
    const { port } = this.#children.get('dispatcher');
    const answer = await fetch(`http://127.0.0.1:${port}/v1/runs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify({
        suite: 'nop',
        evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
        model: 'none',
        trigger: 'manual',
        limit,
      }),
    });
    if (!answer.ok) throw new Error(`submit: ${answer.status} ${await answer.text()}`);
    const { runId } = await answer.json();
    await this.#until(async () => {
      const [row] = await this.query('select count(*)::int as open from assay.work_items where run_id = $1', [runId]);
      return row.open === limit;
    }, 'the run to be queued');
    return runId;
  }

  /** Resolves when the run is over. `watch` is called about five times a second until then. */
  async finished(runId, watch = () => {}) {
    await this.#until(async () => {
      await watch();
      const [row] = await this.query('select finished_at from assay.runs where id = $1', [runId]);
      return row.finished_at !== null;
    }, 'the run to end');
  }

  async query(sql, parameters) {
    return (await this.client.query(sql, parameters)).rows;
  }

  #common() {
    return {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NATS_URL: this.nats.url,
      ASSAY_ARTIFACTS_DIR: join(this.dir, 'artifacts'),
      ASSAY_LOG_LEVEL: 'warn',
    };
  }

  #settings(name) {
    const database = { DATABASE_URL: this.postgres.url };
    const work = { ASSAY_SANDBOXES: 'process', ASSAY_WORK_DIR: join(this.dir, 'work', name) };
    const own = {
      coordinator: database,
      dispatcher: {
        ...database,
        ASSAY_SUITES_DIR: join(this.dir, 'suites'),
        ASSAY_API_TOKEN_FILE: join(this.dir, 'api-token'),
        ASSAY_DEFAULT_SANDBOX: 'process',
      },
      executor: {
        ...work,
        OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
        OPENAI_API_KEY_FILE: join(this.dir, 'model-key'),
      },
      grader: work,
    };
    return { ...this.#common(), ...own[name] };
  }

  #spawn(name, file, args, port, env) {
    const profile = this.profileDir === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', join(this.profileDir, name)];
    const child = spawn(process.execPath, [...profile, file, ...args], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#children.set(name, { child, port });
    child.once('exit', (code, signal) => {
      if (this.#children.has(name)) this.break(new Error(`${name} ended by itself (${code ?? signal})`));
    });
    return child;
  }

  /** Resolves when `probe` answers something true, trying five times a second. */
  async #until(probe, what, timeoutMs = 300_000) {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      let last = null;
      const there = await probe().catch((error) => {
        last = error;
        return false;
      });
      if (there) return;
      if (this.#broken !== null) throw this.#broken;
      if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause: last });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
