import { randomUUID } from 'node:crypto';
import { AuditList, RunList, TokenList, TokenView, type TokenRequest } from '@assay/contracts';
import { FileArtifactStore } from '@assay/artifacts';
import type { RunningService } from '@assay/service-kit';
import { allRows, eventually, seedRun } from '@assay/testing';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import {
  aSubmission,
  call,
  clearedAway,
  NAMESPACE,
  type Reply,
  startDispatcher,
  surroundings,
  type Surroundings,
} from '../../harness/test-dispatcher';
import { auditOf, bearer, serviceToken, stateOf } from '../harness/edge-bench';

let around: Surroundings;
let service: RunningService;

beforeAll(async () => {
  around = await surroundings();
  service = await startDispatcher(around);
});
afterAll(() => clearedAway(around));

const made = (over: Partial<TokenRequest> = {}) =>
  serviceToken(service, { name: 'ci', scopes: ['runs:read'], ...over });
const ask = (token: string, method: string, path: string, body?: unknown): Promise<Reply> =>
  call(service, method, path, {
    headers: { ...bearer(token), 'idempotency-key': randomUUID() },
    ...(body === undefined ? {} : { body }),
  });

describe('a service token', () => {
  test('is shown once, and is nowhere afterwards', async () => {
    const { token, ...view } = await made({ name: 'shown once' });
    expect(token).toMatch(/^assay_[\w-]{43}$/);
    expect(view).toMatchObject({ createdBy: 'the deployment', repository: null, expiresAt: null, lastUsedAt: null });
    const list = await call(service, 'GET', '/v1/tokens');
    expect(TokenList.parse(list.body).tokens).toContainEqual(view);
    expect((await ask(token, 'GET', '/v1/runs')).status).toBe(200);
    const found = [list, around.logs, await allRows(around.server.url)].map((place) => JSON.stringify(place));
    expect(found.filter((text) => text.includes(token))).toEqual([]);
  });

  test('lets in by its scopes; what it lacks is named, written down, and nothing happens', async () => {
    const { token, id } = await made({ name: 'reader' });
    const before = await stateOf(around);
    for (const [method, path] of [
      ['POST', '/v1/runs'],
      ['POST', '/v1/runs/run-1/cancel'],
      ['POST', '/v1/predictions'],
      ['GET', '/v1/tokens'],
      ['DELETE', `/v1/tokens/${id}`],
      ['GET', '/v1/audit'],
    ] as const) {
      const reply = await ask(token, method, path, method === 'POST' ? aSubmission() : undefined);
      expect([path, reply.status]).toEqual([path, 403]);
      expect(reply.body).toMatchObject({ message: expect.stringContaining('does not have the scope') as string });
      expect(await auditOf(service, reply)).toMatchObject({
        ...{ status: 403, reason: 'scope_missing', principalKind: 'service', principal: `token ${id} (reader)` },
      });
    }
    expect(await stateOf(around)).toEqual(before);
  });

  test('that is revoked lets nobody in from then on; revoking it again is nothing new', async () => {
    const { token, id } = await made();
    const revoked = TokenView.parse((await call(service, 'DELETE', `/v1/tokens/${id}`)).body);
    expect(revoked.revokedAt).not.toBeNull();
    const reply = await ask(token, 'GET', '/v1/runs');
    expect(reply.status).toBe(401);
    expect(await auditOf(service, reply)).toMatchObject({ reason: 'token_revoked' });
    expect((await call(service, 'DELETE', `/v1/tokens/${id}`)).body).toEqual(revoked);
    expect((await call(service, 'DELETE', '/v1/tokens/tok-0')).status).toBe(404);
  });

  test('that is expired lets nobody in', async () => {
    const { token, id } = await made({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await ask(token, 'GET', '/v1/runs')).status).toBe(200);
    await around.database.query(`update service_tokens set expires_at = now() where id = $1`, [id]);
    const reply = await ask(token, 'GET', '/v1/runs');
    expect(reply.status).toBe(401);
    expect(await auditOf(service, reply)).toMatchObject({ reason: 'token_expired' });
  });

  test.each(['assay_', `assay_${'a'.repeat(43)}`, "assay_' or 1=1--", 'assay_%00'])(
    'that was guessed (%s) is unknown',
    async (token) => {
      const reply = await call(service, 'GET', '/v1/runs', { headers: { authorization: `Bearer ${token}` } });
      expect(reply.status).toBe(401);
    },
  );

  test.each<[string, object, string]>([
    ['no name', { scopes: ['runs:read'] }, 'name'],
    ['no scope', { name: 'x', scopes: [] }, 'scopes'],
    ['an unknown scope', { name: 'x', scopes: ['root'] }, 'scopes.0'],
    ['a scope twice', { name: 'x', scopes: ['runs:read', 'runs:read'] }, 'scopes'],
    ['a repository that is none', { name: 'x', scopes: ['runs:read'], repository: 'acme' }, 'repository'],
    ['a time that is none', { name: 'x', scopes: ['runs:read'], expiresAt: 'tomorrow' }, 'expiresAt'],
    ['a repository for what concerns all', { name: 'x', scopes: ['tokens:admin'], repository: 'a/b' }, 'repository'],
  ])('with %s is not made', async (_name, body, field) => {
    const reply = await call(service, 'POST', '/v1/tokens', { body });
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body)).toContain(`"field":"${field}`);
  });

  test('whose end is past is not made', async () => {
    const body = { name: 'x', scopes: ['runs:read'], expiresAt: '2020-01-01T00:00:00Z' };
    expect((await call(service, 'POST', '/v1/tokens', { body })).status).toBe(422);
  });

  test('makes others only of the scopes that it has itself', async () => {
    const { token } = await made({ name: 'admin', scopes: ['tokens:admin', 'runs:read'] });
    const make = (scopes: string[]) => ask(token, 'POST', '/v1/tokens', { name: 'child', scopes });
    expect((await make(['runs:read'])).status).toBe(201);
    expect((await make(['runs:read', 'runs:write'])).status).toBe(403);
  });
});

describe('a token for one repository', () => {
  test('sees and makes runs of that repository alone', async () => {
    const other = await seedRun(around.database);
    const { token } = await made({ scopes: ['runs:read', 'runs:write'], repository: 'acme/agent' });
    const own = await ask(token, 'POST', '/v1/runs', aSubmission());
    expect(own.status).toBe(202);
    const { runId } = own.body as { runId: string };
    const { runs } = RunList.parse((await ask(token, 'GET', '/v1/runs')).body);
    expect(runs.map((run) => run.runId)).toEqual([runId]);
    for (const [method, path] of [
      ['GET', `/v1/runs/${other}`],
      ['GET', `/v1/runs/${other}/instances`],
      ['GET', `/v1/runs/${other}/record`],
      ['POST', `/v1/runs/${other}/cancel`],
    ] as const) {
      expect([path, (await ask(token, method, path)).status]).toEqual([path, 404]);
    }
    // What follows counts rows: the poller is to have taken this run by then.
    await eventually(async () => {
      const { body } = await ask(token, 'GET', `/v1/runs/${runId}`);
      return (body as { state: string }).state !== 'WAITING';
    });
  });

  test('may not hand in the release of another', async () => {
    const { token } = await made({ scopes: ['runs:write'], repository: 'acme/agent' });
    const before = await stateOf(around);
    const body = aSubmission({ release: { repository: 'acme/other', id: 1, tag: 'v1.0.0' } });
    const reply = await ask(token, 'POST', '/v1/runs', body);
    expect(reply.status).toBe(403);
    expect(await auditOf(service, reply)).toMatchObject({ reason: 'other_repository' });
    expect(await stateOf(around)).toEqual(before);
  });

  test.each(['release', 'workflow_dispatch'] as const)('may not say that a %s has started its run', async (trigger) => {
    const { token } = await made({ scopes: ['runs:write'], repository: 'acme/agent' });
    const before = await stateOf(around);
    const release = { repository: 'acme/agent', id: 1, tag: 'v1.0.0' };
    const reply = await ask(token, 'POST', '/v1/runs', aSubmission({ release, trigger }));
    expect(reply.status).toBe(403);
    expect(await auditOf(service, reply)).toMatchObject({ reason: 'event_not_own', principalKind: 'service' });
    expect(await stateOf(around)).toEqual(before);
  });

  test('has idempotency keys of its own', async () => {
    const { token } = await made({ scopes: ['runs:write'], repository: 'acme/agent' });
    const headers = { 'idempotency-key': randomUUID() };
    const mine = await call(service, 'POST', '/v1/runs', {
      body: aSubmission(),
      headers: { ...headers, ...bearer(token) },
    });
    const theirs = await call(service, 'POST', '/v1/runs', { body: aSubmission({ model: 'x' }), headers });
    expect([mine.status, theirs.status]).toEqual([202, 202]);
  });

  test('reads what runs of that repository left, and nothing else', async () => {
    const store = new FileArtifactStore({ dir: join(around.dir, 'artifacts'), namespace: NAMESPACE });
    const file = join(around.dir, 'left');
    await writeFile(file, 'left by a run');
    const { digest } = await store.put('patch', 'text/plain', { file });
    const runId = await seedRun(around.database);
    await around.database.query(
      `insert into artifacts (run_id, name, digest, size, media_type) values ($1, 'patch', $2, 13, 'text/plain')`,
      [runId, digest],
    );
    const { token } = await made({ repository: 'acme/agent' });
    const read = async () => (await ask(token, 'GET', `/v1/artifacts/${digest}`)).status;
    expect(await read()).toBe(404);
    await around.database.query(`update runs set repository = 'acme/agent' where id = $1`, [runId]);
    expect(await read()).toBe(200);
  });
});

describe('the audit log', () => {
  test('is read a page at a time by tokens:admin', async () => {
    const { token } = await made({ name: 'auditor', scopes: ['tokens:admin'] });
    for (let n = 0; n < 3; n += 1) await ask(token, 'GET', '/v1/runs');
    const first = AuditList.parse((await ask(token, 'GET', '/v1/audit?limit=2')).body);
    expect(first.calls).toHaveLength(2);
    const second = AuditList.parse((await ask(token, 'GET', `/v1/audit?limit=2&cursor=${first.nextCursor!}`)).body);
    const ids = [...first.calls, ...second.calls].map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(new Set(ids).size).toBe(4);
  });

  test.each(['limit=0', 'limit=501', 'cursor=x', 'cursor=-1', 'colour=red'])('is not read by %s', async (query) => {
    expect((await call(service, 'GET', `/v1/audit?${query}`)).status).toBe(400);
  });
});
