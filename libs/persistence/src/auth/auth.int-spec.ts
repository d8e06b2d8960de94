import { randomUUID } from 'node:crypto';
import { Namespace } from '@assay/contracts';
import { freshDatabase, type TestDatabase } from '@assay/testing';
import {
  type AuditEntry,
  Database,
  findToken,
  insertAudit,
  insertToken,
  listAudit,
  listTokens,
  type NewToken,
  pruneAudit,
  pruneSpentTokens,
  revokeToken,
  spendToken,
} from '../index';

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await freshDatabase();
  database = await Database.open({ url: server.url, namespace: Namespace.parse('assay') });
  await database.migrate();
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const hours = (n: number) => new Date(Date.now() + n * 3_600_000);

describe('a service token', () => {
  const aToken = (over: Partial<NewToken> = {}): NewToken => ({
    id: randomUUID(),
    name: 'ci',
    hash: randomUUID(),
    scopes: ['runs:read'],
    repository: null,
    createdBy: 'deployment',
    expiresAt: null,
    ...over,
  });

  test('is found by its hash, and by nothing else', async () => {
    const token = aToken({ repository: 'acme/agent', scopes: ['runs:read', 'runs:write'] });
    await insertToken(database, token);
    expect(await findToken(database, token.hash)).toMatchObject({
      id: token.id,
      name: 'ci',
      scopes: ['runs:read', 'runs:write'],
      repository: 'acme/agent',
      createdBy: 'deployment',
      standing: 'good',
    });
    expect(await findToken(database, token.id)).toBeNull();
  });

  test('is listed without its hash, the newest first', async () => {
    const older = await insertToken(database, aToken());
    const newer = await insertToken(database, aToken());
    const listed = await listTokens(database);
    expect(listed.slice(0, 2)).toEqual([newer, older]);
    expect(Object.keys(newer).filter((key) => /hash/i.test(key))).toEqual([]);
  });

  test('has its use noted once a minute', async () => {
    const token = aToken();
    await insertToken(database, token);
    const lastUsed = async () => (await listTokens(database)).find(({ id }) => id === token.id)?.lastUsedAt;
    expect(await lastUsed()).toBeNull();
    await findToken(database, token.hash);
    const first = await lastUsed();
    expect(first).toBeInstanceOf(Date);
    await findToken(database, token.hash);
    expect(await lastUsed()).toEqual(first);
    await database.query(`update service_tokens set last_used_at = now() - interval '61 seconds'`);
    await findToken(database, token.hash);
    expect((await lastUsed())!.getTime()).toBeGreaterThanOrEqual(first!.getTime());
  });

  test('that is revoked stays so from its first revocation on, and its use is not noted', async () => {
    const token = aToken();
    await insertToken(database, token);
    const { revokedAt } = (await revokeToken(database, token.id))!;
    expect((await revokeToken(database, token.id))?.revokedAt).toEqual(revokedAt);
    expect(await findToken(database, token.hash)).toMatchObject({ standing: 'revoked', lastUsedAt: null });
    expect(await revokeToken(database, 'ghost')).toBeNull();
  });

  test('is expired from its end on', async () => {
    const past = aToken({ expiresAt: hours(-0.001) });
    const future = aToken({ expiresAt: hours(1) });
    for (const token of [past, future]) await insertToken(database, token);
    const found = [await findToken(database, past.hash), await findToken(database, future.hash)];
    expect(found.map((token) => token?.standing)).toEqual(['expired', 'good']);
  });
});

describe('an OIDC token', () => {
  const use = (over = {}) => ({ issuer: 'https://a', jti: randomUUID(), lastUse: Date.now() / 1000 + 600, ...over });

  test('is used once, also by twenty at the same moment', async () => {
    const one = use();
    const answers = await Promise.all(Array.from({ length: 20 }, () => spendToken(database, one)));
    expect(answers.filter((first) => first)).toHaveLength(1);
    expect(await spendToken(database, one)).toBe(false);
  });

  test('is another one where its issuer is another', async () => {
    const one = use();
    expect(await spendToken(database, one)).toBe(true);
    expect(await spendToken(database, { ...one, issuer: 'https://b' })).toBe(true);
  });

  test('is forgotten when nobody takes it any more, and not a moment earlier', async () => {
    await database.query('delete from spent_tokens');
    const [gone, kept] = [use({ lastUse: Date.now() / 1000 - 3700 }), use({ lastUse: Date.now() / 1000 - 3500 })];
    for (const one of [gone, kept]) await spendToken(database, one);
    expect(await pruneSpentTokens(database)).toBe(1);
    expect([await spendToken(database, gone), await spendToken(database, kept)]).toEqual([true, false]);
  });
});

describe('the audit log', () => {
  const entry = (over: Partial<AuditEntry> = {}): AuditEntry => ({
    at: new Date(),
    requestId: randomUUID(),
    principalKind: 'service',
    principal: 'token ci',
    method: 'GET',
    route: '/v1/runs/:id',
    path: '/v1/runs/run-1',
    status: 200,
    reason: null,
    address: '127.0.0.1',
    ...over,
  });

  test('gives back what was appended, from new to old, a page at a time', async () => {
    const entries = [entry(), entry({ status: 401, principalKind: 'nobody', principal: null, reason: 'x' }), entry()];
    await insertAudit(database, entries);
    const first = await listAudit(database, { limit: 2, before: null });
    const second = await listAudit(database, { limit: 1, before: first.at(-1)!.id });
    expect([...first, ...second].map(({ id: _, ...rest }) => rest)).toEqual([...entries].reverse());
  });

  test.each([
    ['changed', 'update audit_log set status = 200'],
    ['deleted', 'delete from audit_log'],
    ['emptied', 'truncate audit_log'],
    ['emptied with others', 'truncate runs, audit_log cascade'],
  ])('cannot be %s', async (_how, sql) => {
    await insertAudit(database, [entry()]);
    await expect(database.query(sql)).rejects.toThrow('audit_log is append-only');
  });

  test('does not let go of what is not a day old, whatever the transaction says', async () => {
    await insertAudit(database, [entry()]);
    const prune = database.transaction(async (sql) => {
      await sql.query(`select set_config('assay.prunes_audit_log', 'yes', true)`);
      await sql.query('delete from audit_log');
    });
    await expect(prune).rejects.toThrow('audit_log is append-only');
  });

  test('is pruned of what is old enough, the oldest first and a bounded number at a time', async () => {
    const old = [5, 4, 3].map((days) => entry({ at: hours(-24 * days - 1) }));
    await insertAudit(database, old);
    const before = (await listAudit(database, { limit: 1000, before: null })).length;
    expect(await pruneAudit(database, { keptDays: 3, limit: 2 })).toBe(2);
    expect(await pruneAudit(database, { keptDays: 3, limit: 2 })).toBe(1);
    expect(await pruneAudit(database, { keptDays: 0, limit: 2 })).toBe(0);
    expect(await listAudit(database, { limit: 1000, before: null })).toHaveLength(before - 3);
    await expect(database.query('delete from audit_log')).rejects.toThrow('append-only');
  });
});
