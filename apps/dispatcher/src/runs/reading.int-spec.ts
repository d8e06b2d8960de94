import { ErrorReply, FLOW, InstanceList, RunId, RunList, RunRecord, RunView } from '@assay/contracts';
import { FileArtifactStore } from '@assay/artifacts';
import type { RunningService } from '@assay/service-kit';
import { aManifest, seedRun } from '@assay/testing';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import {
  call,
  cancelAnswerer,
  clearedAway,
  NAMESPACE,
  reached,
  startDispatcher,
  submit,
  surroundings,
  type Surroundings,
} from '../harness/test-dispatcher';

let around: Surroundings;
let service: RunningService;

beforeAll(async () => {
  around = await surroundings();
  service = await startDispatcher(around);
});
afterAll(() => clearedAway(around));
beforeEach(() =>
  around.database.query(
    'truncate runs, instances, events, outbox, publications, work_items, attempts, grades, artifacts cascade',
  ),
);

const get = (path: string, headers: Record<string, string> = {}) => call(service, 'GET', path, { headers });

describe('runs', () => {
  test('are listed from new to old, a page at a time, and no page shifts', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift(await seedRun(around.database));
    const first = RunList.parse((await get('/v1/runs?limit=2')).body);
    await seedRun(around.database);
    const second = RunList.parse((await get(`/v1/runs?limit=2&cursor=${first.nextCursor ?? ''}`)).body);
    const third = RunList.parse((await get(`/v1/runs?limit=2&cursor=${second.nextCursor ?? ''}`)).body);
    const pages = [first, second, third].map(({ runs }) => runs.map(({ runId }) => runId));
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(third.nextCursor).toBeNull();
  });

  test('can be filtered by state and suite', async () => {
    const demo = await seedRun(around.database);
    const other = await seedRun(around.database, { manifest: aManifest({ suite: { name: 'other' } }) });
    const listed = async (query: string) =>
      RunList.parse((await get(`/v1/runs?${query}`)).body).runs.map(({ runId }) => runId);
    expect(await listed('suite=other')).toEqual([other]);
    expect(await listed('suite=demo&state=QUEUED')).toEqual([demo]);
    expect(await listed('state=FAILED')).toEqual([]);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=x', 'limit'],
    ['state=GONE', 'state'],
    ['cursor=nonsense', 'cursor'],
    ['colour=red', 'colour'],
  ])('with the query %s are refused, naming %s', async (query, field) => {
    const { status, body } = await get(`/v1/runs?${query}`);
    expect(status).toBe(400);
    expect(ErrorReply.parse(body).errors).toMatchObject([{ field }]);
  });

  test('show their instances in the manifest’s order', async () => {
    const runId = await seedRun(around.database, { manifest: aManifest({ instances: ['b', 'a', 'c'] }) });
    expect(RunView.parse((await get(`/v1/runs/${runId}`)).body)).toMatchObject({ states: { QUEUED: 3 } });
    const { instances } = InstanceList.parse((await get(`/v1/runs/${runId}/instances`)).body);
    expect(instances.map(({ instanceId, state }) => [instanceId, state])).toEqual([
      ['a', 'QUEUED'],
      ['b', 'QUEUED'],
      ['c', 'QUEUED'],
    ]);
  });

  test.each(['/v1/runs/run-0', '/v1/runs/run-0/instances'])('that are not there answer 404 at %s', async (path) => {
    const { status, body } = await get(path);
    expect([status, ErrorReply.parse(body).message]).toEqual([404, 'there is no run run-0']);
  });

  test('of an impossible id are refused', async () => {
    const { status, body } = await get('/v1/runs/-x');
    expect([status, ErrorReply.parse(body).errors[0]?.field]).toEqual([400, 'id']);
  });
});

describe('the record of a run', () => {
  test('is what it was asked for, its publication with the real cause, and its events, oldest first', async () => {
    const runId = await seedRun(around.database);
    await around.database.query(
      `insert into publications (run_id, repository, release_id, tag, suite, state, tries, last_error)
       values ($1, 'acme/agent', 7, 'v1.0.0', 'demo', 'PENDING', 2, 'GitHub answers 502')`,
      [runId],
    );
    await around.database.query(
      `insert into events (run_id, instance_id, sample, type, data)
       values ($1, null, null, 'run.frozen', '{"instances":1}'), ($1, 'i-1', 0, 'trial.lost', '{}')`,
      [runId],
    );
    const { status, body } = await get(`/v1/runs/${runId}/record`);
    expect(status).toBe(200);
    const record = RunRecord.parse(body);
    expect(record).toMatchObject({
      runId,
      origin: null,
      publication: { state: 'PENDING', tries: 2, lastError: 'GitHub answers 502', publishedAt: null },
    });
    expect(record.request.suite).toBe('demo');
    expect(record.events.slice(-2)).toMatchObject([
      { type: 'run.frozen', instanceId: null, data: { instances: 1 } },
      { type: 'trial.lost', instanceId: 'i-1', sample: 0 },
    ]);
  });

  test('of a run that nothing publishes has no publication; of no run there is none', async () => {
    const runId = await seedRun(around.database);
    expect(RunRecord.parse((await get(`/v1/runs/${runId}/record`)).body).publication).toBeNull();
    expect((await get('/v1/runs/run-0/record')).status).toBe(404);
  });
});

describe('cancelling', () => {
  test('is asked of the coordinator, whose answer is passed on', async () => {
    const runId = await seedRun(around.database);
    const coordinator = await cancelAnswerer(around.nats, (id) => ({
      answer: 'ok',
      runId: RunId.parse(id),
      state: 'QUARANTINED',
      cancelledInstances: 1,
    }));
    const { status, body } = await call(service, 'POST', `/v1/runs/${runId}/cancel`);
    await coordinator.link.close();
    expect([status, body]).toEqual([200, { runId, state: 'QUARANTINED', cancelledInstances: 1 }]);
    expect(coordinator.asked).toEqual([runId]);
  });

  test('a run that the coordinator does not know answers 404', async () => {
    const coordinator = await cancelAnswerer(around.nats, () => ({ answer: 'unknown' }));
    const { status } = await call(service, 'POST', '/v1/runs/run-0/cancel');
    await coordinator.link.close();
    expect(status).toBe(404);
  });

  test('without a coordinator answers 503 and says that nothing is known', async () => {
    const { status, body } = await call(service, 'POST', '/v1/runs/run-0/cancel');
    expect(status).toBe(503);
    expect(ErrorReply.parse(body).message).toMatch(/did not confirm .* ask again/);
  });
});

describe('artifacts', () => {
  const put = (content: Buffer) =>
    new FileArtifactStore({ dir: join(around.dir, 'artifacts'), namespace: NAMESPACE }).put(
      'patch',
      'text/plain',
      content,
    );

  test('are sent byte for byte, and no browser runs them', async () => {
    const content = Buffer.from('<script>alert(1)</script>\r\n');
    const { digest } = await put(content);
    const { status, headers, body } = await get(`/v1/artifacts/${digest}`);
    expect([status, body]).toEqual([200, content.toString()]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(content.length),
      'content-disposition': `attachment; filename="${digest}"`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
  });

  test('that are large are sent whole', async () => {
    const { digest } = await put(Buffer.alloc(20_000_000, 'x'));
    expect(String((await get(`/v1/artifacts/${digest}`)).body)).toHaveLength(20_000_000);
  });

  test('hold the manifest of a frozen run under its digest', async () => {
    const { runId } = await submit(service);
    await reached(service, runId, 'QUEUED');
    const [row] = await around.database.query<{ manifest_digest: string; manifest: unknown }>(
      'select manifest_digest, manifest from runs where id = $1',
      [runId],
    );
    const { body } = await get(`/v1/artifacts/${row?.manifest_digest ?? ''}`);
    expect(JSON.parse(String(body))).toEqual(row?.manifest);
  });

  test('that were damaged on the disk are not sent', async () => {
    const { digest } = await put(Buffer.from('whole'));
    const file = join(around.dir, 'artifacts', NAMESPACE, digest.slice(0, 2), digest);
    await writeFile(file, 'spoil');
    const { status, body } = await get(`/v1/artifacts/${digest}`);
    expect([status, JSON.stringify(body).includes('spoil')]).toEqual([500, false]);
  });

  test('that are not there, or have no digest’s name, are not sent', async () => {
    expect((await get(`/v1/artifacts/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await get('/v1/artifacts/..%2f..%2ftoken')).status).toBe(400);
  });
});

describe('the API', () => {
  type Document = { readonly paths: Record<string, Record<string, { responses: Record<string, unknown> }>> };
  const documented = async () => (await get('/docs-json')).body as Document;

  test('is described at /docs, with the routes that the flow names', async () => {
    expect((await get('/docs')).body).toContain('swagger-ui');
    const { paths } = await documented();
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `http:${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const wanted = FLOW.flatMap(({ app, consumes }) => (app === 'dispatcher' ? consumes : []));
    expect(routes).toEqual(expect.arrayContaining([...wanted]));
    expect(Object.keys(paths['/v1/runs']?.['post']?.responses ?? {})).toContain('202');
  });

  test.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer dispatcher-test-tokem' }],
    ['a longer token', { authorization: 'Bearer dispatcher-test-token-' }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${Buffer.from('a:dispatcher-test-token').toString('base64')}` }],
  ])('lets nobody in with %s, on any route', async (_, { authorization = '' }: { authorization?: string }) => {
    const { paths } = await documented();
    // The keys that results are signed with are everybody's.
    const routes = Object.entries(paths).filter(([path]) => path.startsWith('/v1/') && path !== '/v1/keys');
    expect(routes.length).toBeGreaterThanOrEqual(5);
    for (const [path, methods] of routes) {
      for (const method of Object.keys(methods)) {
        const url = path.replace(/\{\w+\}/g, '0'.repeat(64));
        const { status, headers, body } = await call(service, method.toUpperCase(), url, {
          headers: { authorization },
        });
        expect([path, status, ErrorReply.parse(body).error]).toEqual([path, 401, 'Unauthorized']);
        expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/);
      }
    }
  });

  test('answers an unknown route as it answers every error', async () => {
    const { status, body } = await get('/v2/runs');
    expect([status, ErrorReply.parse(body).statusCode]).toEqual([404, 404]);
  });

  test('writes the token into no log line', async () => {
    await submit(service);
    expect(around.logs.join('')).not.toContain('dispatcher-test-token');
  });
});
