import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '../api.client';
import { freePort } from '../up/deployment';
import type { Machine } from '../up/machine';
import { plainly, ready } from '../up/readiness';
import { baseImage, serviceSpec, type ServiceSpec, ownSettings } from '../up/services';

const READY_MS = 60_000;

export interface PoolOptions {
  readonly root: string;
  /** Folder of suite files. */
  readonly suitesDir: string;
  /** Grades at the same time. */
  readonly workers: number;
  /** All durations of the work protocol times this. */
  readonly timeScale: number;
}

/** Starts what a grade-only run needs of the pool (coordinator, dispatcher, grader) and waits until each is ready. */
export async function startLocalPool(machine: Machine, options: PoolOptions): Promise<ApiClient> {
  const { state, children, signal } = machine;
  const apiTokenFile = state.secret('api-token');
  const services = await poolSpecs(machine, options, apiTokenFile);
  for (const spec of services) children.start(spec);
  await Promise.all(services.map(({ name, port }) => ready(name, plainly(port), READY_MS, signal)));
  const dispatcher = services.find(({ name }) => name === 'dispatcher');
  if (dispatcher === undefined) throw new Error('no dispatcher was started');
  return new ApiClient({
    url: `http://127.0.0.1:${dispatcher.port}`,
    token: readFileSync(apiTokenFile, 'utf8').trim(),
  });
}

async function poolSpecs(
  { state, backends, choice }: Machine,
  { root, suitesDir, workers, timeScale }: PoolOptions,
  apiTokenFile: string,
): Promise<ServiceSpec[]> {
  const database = { DATABASE_URL: backends.databaseUrl };
  const apps = [
    { app: 'coordinator', env: database },
    {
      app: 'dispatcher',
      env: {
        ...database,
        ASSAY_SUITES_DIR: suitesDir,
        ASSAY_API_TOKEN_FILE: apiTokenFile,
        ASSAY_DEFAULT_SANDBOX: choice.sandbox,
        ...ownSettings(),
      },
    },
    {
      app: 'grader',
      env: {
        ASSAY_SANDBOXES: choice.sandbox,
        ...baseImage(choice),
        ASSAY_SLOTS: String(workers),
        ASSAY_WORK_DIR: join(state.work, 'grader'),
      },
    },
  ];
  const ground = { root, state, backends, timeScale };
  return Promise.all(
    apps.map(async ({ app, env }) => serviceSpec(ground, { name: app, app, env, port: await freePort() })),
  );
}
