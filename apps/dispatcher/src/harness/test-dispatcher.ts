import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Namespace, RunView, SubmitReply, type CancelRunReply, type SubmitRequest } from '@assay/contracts';
import { connectNats, type NatsLink } from '@assay/messaging';
import { Database } from '@assay/persistence';
import { startService, type RunningService } from '@assay/service-kit';
import { eventually, freshDatabase, PROJECT_ROOT, TestNats, type TestDatabase } from '@assay/testing';
import type { Config } from '../config';
import { dispatcher } from '../dispatcher';

export const TOKEN = 'dispatcher-test-token';
export const NAMESPACE = Namespace.parse('assay');

/** What a dispatcher needs around it: a PostgreSQL database, a NATS server, a folder. */
export interface Surroundings {
  readonly server: TestDatabase;
  readonly database: Database;
  readonly nats: TestNats;
  readonly dir: string;
  readonly logs: string[];
  /** Stopped with the rest. */
  readonly services: RunningService[];
}

/** @param migrated false: the coordinator has not been there yet */
export async function surroundings({ migrated = true } = {}): Promise<Surroundings> {
  const [server, nats] = await Promise.all([freshDatabase(), TestNats.start()]);
  const database = await Database.open({ url: server.url, namespace: NAMESPACE });
  if (migrated) await database.migrate();
  const dir = await mkdtemp(join(tmpdir(), 'assay-dispatcher-'));
  await writeFile(join(dir, 'token'), `${TOKEN}\n`, { mode: 0o600 });
  return { server, database, nats, dir, logs: [], services: [] };
}

export async function clearedAway({ server, database, nats, dir, services }: Surroundings): Promise<void> {
  await Promise.all(services.map((service) => service.stop()));
  await database.close();
  await nats.stop();
  await server.drop();
  await rm(dir, { recursive: true, force: true });
}

/** A dispatcher inside this process, on a free port, with the example suites; durations are a fiftieth. */
export async function startDispatcher(
  around: Surroundings,
  env: NodeJS.ProcessEnv = {},
): Promise<RunningService<Config>> {
  const service = await startService(
    dispatcher,
    {
      DATABASE_URL: around.server.url,
      NATS_URL: around.nats.url,
      ASSAY_HTTP_PORT: '0',
      ASSAY_TIME_SCALE: '0.02',
      ASSAY_ARTIFACTS_DIR: join(around.dir, 'artifacts'),
      ASSAY_SUITES_DIR: join(PROJECT_ROOT, 'suites'),
      ASSAY_API_TOKEN_FILE: join(around.dir, 'token'),
      ASSAY_DEFAULT_SANDBOX: 'process',
      ASSAY_BUILD_DIGEST: 'b'.repeat(64),
      ASSAY_RATE_FAILURES: '10000',
      ...env,
    },
    { write: (line: string) => void around.logs.push(line) },
  );
  around.services.push(service);
  return service;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Calls the API with the right token, unless `headers` say otherwise. */
export async function call(
  { url }: { readonly url: string },
  method: string,
  path: string,
  { body, headers = {} }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<Reply> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return { status: answer.status, headers: answer.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}

export function aSubmission(over: Partial<SubmitRequest> = {}): SubmitRequest {
  return {
    suite: 'demo',
    evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
    model: 'none',
    trigger: 'manual',
    ...over,
  };
}

/** Submits under a key of its own; resolves with the accepted reply. */
export async function submit(
  service: { readonly url: string },
  over: Partial<SubmitRequest> = {},
): Promise<SubmitReply> {
  const headers = { 'idempotency-key': randomUUID() };
  const { status, body } = await call(service, 'POST', '/v1/runs', { body: aSubmission(over), headers });
  if (status !== 202) throw new Error(`the submission was answered ${status}: ${JSON.stringify(body)}`);
  return SubmitReply.parse(body);
}

export async function runOf(service: { readonly url: string }, runId: string): Promise<RunView> {
  return RunView.parse((await call(service, 'GET', `/v1/runs/${runId}`)).body);
}

/** Waits until the run is in the state, and resolves with it. */
export async function reached(
  service: { readonly url: string },
  runId: string,
  state: RunView['state'],
): Promise<RunView> {
  await eventually(async () => (await runOf(service, runId)).state === state, {
    timeoutMs: 20_000,
    what: `${runId} to be ${state}`,
  });
  return runOf(service, runId);
}

/** A coordinator of which only the answer to `run.cancel` is there. */
export async function cancelAnswerer(
  nats: TestNats,
  answer: (runId: string) => CancelRunReply,
): Promise<{ readonly link: NatsLink; readonly asked: string[] }> {
  const link = await connectNats({ url: nats.url, name: 'coordinator', namespace: NAMESPACE });
  const asked: string[] = [];
  link.connection.subscribe(link.names.rpc('run.cancel'), {
    callback: (_error, message) => {
      const { runId } = message.json<{ runId: string }>();
      asked.push(runId);
      message.respond(JSON.stringify(answer(runId)));
    },
  });
  await link.connection.flush();
  return { link, asked };
}
