import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorReply } from '@assay/contracts';
import { ConfigError, loadConfig } from '@assay/service-kit';
import { eventually } from '@assay/testing';
import { configSchema } from './config';
import {
  aSubmission,
  call,
  clearedAway,
  reached,
  startDispatcher,
  submit,
  surroundings,
  type Surroundings,
} from './harness/test-dispatcher';

let around: Surroundings;
afterEach(() => clearedAway(around));

const probes = async (service: { readonly url: string }) => {
  const { status, body } = await call(service, 'GET', '/readyz');
  return { status, probes: (body as { probes: Record<string, string> }).probes };
};

test('it is not ready, and takes nothing in, until the coordinator has migrated; then it goes on by itself', async () => {
  around = await surroundings({ migrated: false });
  const service = await startDispatcher(around);
  const before = await probes(service);
  expect(before).toMatchObject({ status: 503, probes: { database: 'ok', nats: 'ok' } });
  expect(before.probes['schema']).toContain('the coordinator has not migrated the schema yet');
  const refused = await call(service, 'POST', '/v1/runs', { body: aSubmission(), headers: { 'idempotency-key': 'k' } });
  expect([refused.status, ErrorReply.parse(refused.body).message]).toEqual([
    503,
    expect.stringContaining('has not migrated') as string,
  ]);
  await around.database.migrate();
  const all = { artifacts: 'ok', database: 'ok', schema: 'ok', nats: 'ok' };
  expect(await probes(service)).toEqual({ status: 200, probes: all });
  await reached(service, (await submit(service)).runId, 'QUEUED');
});

test('it is not ready while NATS is away, takes submissions all the same, and is ready again', async () => {
  around = await surroundings();
  const service = await startDispatcher(around);
  await around.nats.kill();
  await eventually(async () => (await probes(service)).status === 503, { what: 'the loss to be seen' });
  expect((await probes(service)).probes).toMatchObject({ database: 'ok', schema: 'ok' });
  await reached(service, (await submit(service)).runId, 'QUEUED');
  await around.nats.restart();
  await eventually(async () => (await probes(service)).status === 200, { timeoutMs: 15_000, what: 'NATS to be back' });
});

test('a broker or a database that is away is one clear message at the start', async () => {
  around = await surroundings();
  await expect(startDispatcher(around, { NATS_URL: 'nats://127.0.0.1:1' })).rejects.toThrow(
    /^cannot connect to NATS at nats:\/\/127\.0\.0\.1:1/,
  );
  await expect(startDispatcher(around, { DATABASE_URL: 'postgres://a:secret@127.0.0.1:1/assay' })).rejects.toThrow(
    /^cannot open the database 127\.0\.0\.1:1\/assay/,
  );
});

test('stopping lets what is being looked at end, and takes no new run', async () => {
  around = await surroundings();
  const service = await startDispatcher(around);
  const { runId } = await submit(service);
  await service.stop();
  const states = await around.database.query<{ state: string; instances: number }>(
    `select state, (select count(*)::int from instances) as instances from runs where id = $1`,
    [runId],
  );
  expect([[{ state: 'WAITING', instances: 0 }], [{ state: 'QUEUED', instances: 8 }]]).toContainEqual(states);
});

test('all wrong settings are named at once, and no secret is shown', async () => {
  around = await surroundings();
  await writeFile(join(around.dir, 'open-token'), 'canary-token', { mode: 0o644 });
  const env = {
    NATS_URL: 'nats://127.0.0.1:4222',
    ASSAY_ARTIFACTS_DIR: '/tmp/a',
    ASSAY_API_TOKEN_FILE: join(around.dir, 'open-token'),
    ASSAY_DEFAULT_SANDBOX: 'vm',
    GITHUB_API_URL: 'ftp://x',
  };
  let message = '';
  try {
    loadConfig(configSchema, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    message = error.message;
  }
  for (const variable of [
    'DATABASE_URL',
    'ASSAY_SUITES_DIR',
    'ASSAY_API_TOKEN_FILE',
    'ASSAY_DEFAULT_SANDBOX',
    'GITHUB_API_URL',
  ]) {
    expect(message).toContain(variable);
  }
  expect(message).not.toContain('canary-token');
});
