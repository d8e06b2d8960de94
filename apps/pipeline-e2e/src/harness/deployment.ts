import {
  InstanceList,
  RunView,
  SubmitReply,
  TERMINAL_RUN_STATES,
  type InstanceView,
  type SubmitRequest,
} from '@assay/contracts';
import {
  eventually,
  freePort,
  freshDatabase,
  PROJECT_ROOT,
  removeTestImages,
  TestNats,
  type TestDatabase,
} from '@assay/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess, type ServiceName } from './service-process';

export interface DeploymentOptions {
  /** Folder with suite files. */
  readonly suitesDir: string;
  readonly namespace?: string;
  /** Durations of the work protocol times this; default 0.03 (a lease of 2.7 s). */
  readonly timeScale?: number;
  readonly executors?: number;
  readonly slots?: number;
  readonly sandbox?: 'process' | 'docker';
  readonly transcriptsDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Servers of another deployment, to share them. */
  readonly servers?: Servers;
}

export interface Servers {
  readonly database: TestDatabase;
  readonly nats: TestNats;
}

const TOKEN = 'e2e-api-token-0123456789abcdef';
export const GITHUB_TOKEN = 'e2e-github-token-canary-1f7c';
/** The repository that the stand-in of GitHub has. */
export const REPOSITORY = 'example/coding-agent';
export const MODEL_KEY = 'sk-e2e-model-key-canary-9d2b';
export const DATABASE_PASSWORD = 'e2e-database-password-canary-4b8e';

let serial = 0;

/** All five services as real processes over a real PostgreSQL and nats-server, with the two stand-ins. */
export class TestDeployment {
  readonly services = new Map<string, ServiceProcess>();
  /** Its own unless the options name one: tests of other folders may run on the same Docker engine. */
  readonly namespace: string;
  private constructor(
    readonly dir: string,
    readonly servers: Servers,
    readonly url: string,
    readonly githubUrl: string,
    readonly modelUrl: string,
    private readonly options: DeploymentOptions,
    private readonly standIns: readonly ServiceProcess[],
  ) {
    this.namespace = options.namespace ?? `e2e_${process.pid.toString(36)}_${(serial += 1)}`;
  }

  /** Starts servers, stand-ins and services, and waits until every service is ready. */
  static async start(options: DeploymentOptions): Promise<TestDeployment> {
    const dir = await mkdtemp(join(tmpdir(), 'assay-e2e-'));
    const servers = options.servers ?? {
      database: await freshDatabase(DATABASE_PASSWORD),
      nats: await TestNats.start(),
    };
    for (const [name, secret] of [
      ['api-token', TOKEN],
      ['github-token', GITHUB_TOKEN],
      ['model-key', MODEL_KEY],
    ] as const) {
      await writeFile(join(dir, name), secret, { mode: 0o600 });
    }
    const github = await standIn('github-standin', ['--state', join(dir, 'github.json'), '--repository', REPOSITORY], {
      GITHUB_STANDIN_TOKEN: GITHUB_TOKEN,
    });
    const transcripts = options.transcriptsDir ?? join(PROJECT_ROOT, 'examples/transcripts');
    const model = await standIn('model-standin', ['--transcripts', transcripts], { MODEL_STANDIN_KEY: MODEL_KEY });
    const url = `http://127.0.0.1:${await freePort()}`;
    const deployment = new TestDeployment(
      dir,
      servers,
      url,
      `http://127.0.0.1:${github.port}`,
      `http://127.0.0.1:${model.port}`,
      options,
      [github, model],
    );
    try {
      for (const stand of [github, model]) await listening(stand);
      await deployment.startServices();
    } catch (error) {
      await deployment.stop();
      throw error;
    }
    return deployment;
  }

  private async startServices(): Promise<void> {
    const names = ['coordinator', 'dispatcher', 'grader', 'publisher'];
    for (const name of names) await this.add(name);
    for (let index = 1; index <= (this.options.executors ?? 1); index += 1) await this.add(`executor-${index}`);
    await Promise.all([...this.services.values()].map((service) => service.ready(60_000)));
  }

  /** Starts a service under a name such as `grader` or `executor-3`, without waiting for it. */
  async add(name: string): Promise<ServiceProcess> {
    const app = name.replace(/-\d+$/, '') as ServiceName;
    const service = await ServiceProcess.of(app, this.env(app, name));
    service.spawn();
    this.services.set(name, service);
    return service;
  }

  service(name: string): ServiceProcess {
    const found = this.services.get(name);
    if (found === undefined) throw new Error(`no service ${name}`);
    return found;
  }

  private env(app: ServiceName, name: string): Record<string, string> {
    const { options, dir, servers } = this;
    const sandbox = options.sandbox ?? 'process';
    const database = { DATABASE_URL: servers.database.url };
    const work = { ASSAY_SANDBOXES: sandbox, ASSAY_WORK_DIR: join(dir, 'work', name) };
    const own: Record<ServiceName, Record<string, string>> = {
      coordinator: database,
      dispatcher: {
        ...database,
        ASSAY_HTTP_PORT: new URL(this.url).port,
        ASSAY_SUITES_DIR: options.suitesDir,
        ASSAY_API_TOKEN_FILE: join(dir, 'api-token'),
        ASSAY_DEFAULT_SANDBOX: sandbox,
        GITHUB_API_URL: this.githubUrl,
      },
      executor: {
        ...work,
        ASSAY_SLOTS: String(options.slots ?? 2),
        OPENAI_BASE_URL: `${this.modelUrl}/v1`,
        OPENAI_API_KEY_FILE: join(dir, 'model-key'),
      },
      grader: { ...work, ASSAY_SLOTS: '2' },
      publisher: { GITHUB_API_URL: this.githubUrl, GITHUB_TOKEN_FILE: join(dir, 'github-token') },
    };
    return {
      NATS_URL: servers.nats.url,
      ASSAY_NAMESPACE: this.namespace,
      ASSAY_TIME_SCALE: String(options.timeScale ?? 0.03),
      ASSAY_ARTIFACTS_DIR: join(dir, 'artifacts'),
      ...own[app],
      ...options.env,
    };
  }

  /** A call of the HTTP API: status and parsed body. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  async submit(body: Partial<SubmitRequest> & { suite: string }, key: string = randomUUID()): Promise<SubmitReply> {
    const request = {
      // A stable release takes the result of its own tag only.
      evaluated: { ref: body.release?.tag ?? 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
      model: 'demo-model',
      trigger: 'manual',
      backoffSeconds: 1,
      ...body,
    };
    const reply = await this.call('POST', '/v1/runs', request, { 'idempotency-key': key });
    return SubmitReply.parse(reply.body);
  }

  /** The text of an artifact. */
  async artifact(digest: string): Promise<string> {
    const answer = await fetch(`${this.url}/v1/artifacts/${digest}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    if (!answer.ok) throw new Error(`artifact ${digest}: ${answer.status}`);
    return answer.text();
  }

  /** What the stand-in of the model was asked, and what it told of its answers. */
  async modelRequests(): Promise<{ usage: { prompt_tokens: number; completion_tokens: number } | null }[]> {
    const answer = await fetch(`${this.modelUrl}/standin/requests`, {
      headers: { authorization: `Bearer ${MODEL_KEY}` },
    });
    return ((await answer.json()) as { requests: Awaited<ReturnType<TestDeployment['modelRequests']>> }).requests;
  }

  async run(runId: string): Promise<RunView> {
    return RunView.parse((await this.call('GET', `/v1/runs/${runId}`)).body);
  }

  async instances(runId: string): Promise<InstanceView[]> {
    return InstanceList.parse((await this.call('GET', `/v1/runs/${runId}/instances`)).body).instances;
  }

  /** Waits until the run is terminal and nothing is left to be published. */
  async finished(runId: string, timeoutMs = 120_000): Promise<RunView> {
    const seen: RunView[] = [];
    await eventually(
      async () => {
        const view = await this.run(runId);
        seen.push(view);
        const terminal = (TERMINAL_RUN_STATES as readonly string[]).includes(view.state);
        return terminal && view.publicationState !== 'PENDING' && view.publicationState !== 'WRITTEN';
      },
      { timeoutMs, what: `${runId} to finish` },
    );
    return seen[seen.length - 1] ?? this.run(runId);
  }

  /** A call of the stand-in of GitHub. */
  async github<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${this.githubUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${GITHUB_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async stop(): Promise<void> {
    const services = [...this.services.values()];
    await Promise.all(services.map((service) => service.end()));
    await Promise.all(this.standIns.map((stand) => stand.end()));
    if (this.options.servers === undefined) {
      await this.servers.nats.stop();
      await this.servers.database.drop();
    }
    if (this.options.sandbox === 'docker') await removeTestImages(this.namespace);
    await rm(this.dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function standIn(name: string, args: string[], env: Record<string, string>): Promise<ServiceProcess> {
  const port = await freePort();
  const stand = new ServiceProcess(
    name,
    [join(PROJECT_ROOT, `tools/${name}/bin.mjs`), '--port', String(port), ...args],
    env,
    port,
  );
  stand.spawn();
  return stand;
}

async function listening(stand: ServiceProcess): Promise<void> {
  await eventually(
    async () =>
      (await fetch(`http://127.0.0.1:${stand.port}/`, { signal: AbortSignal.timeout(5_000) }).catch(() => null)) !==
      null,
    {
      what: `${stand.name} to listen`,
    },
  );
}

/** A folder of a test's own that is removed with it. */
export async function scratchFolder(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = join(tmpdir(), `assay-e2e-${randomBytes(6).toString('hex')}`);
  await mkdir(dir);
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}
