import { RunList } from '@assay/contracts';
import { CLOCK_TOLERANCE_SECONDS } from '@assay/github';
import { seedRun, type Claims, type Forgery } from '@assay/testing';
import {
  call,
  cancelAnswerer,
  clearedAway,
  type Reply,
  surroundings,
  type Surroundings,
} from '../harness/test-dispatcher';
import { auditOf, bearer, type EdgeBench, edgeBench, stateOf } from './harness/edge-bench';

let around: Surroundings;
let bench: EdgeBench;

beforeAll(async () => {
  around = await surroundings();
  bench = await edgeBench(around);
});
afterAll(async () => {
  await bench.issuer.stop();
  await clearedAway(around);
});

const ask = (token: string, path = '/v1/runs', method = 'GET', body?: unknown): Promise<Reply> =>
  call(bench.service, method, path, { headers: bearer(token), ...(body === undefined ? {} : { body }) });

async function runOfRepository(repository: string): Promise<string> {
  const runId = await seedRun(around.database);
  await around.database.query('update runs set repository = $2 where id = $1', [runId, repository]);
  return runId;
}

const seconds = () => Math.floor(Date.now() / 1000);

describe('a job of a listed workflow', () => {
  test('sees the runs of its own repository, and no other', async () => {
    const own = await runOfRepository('acme/agent');
    const other = await runOfRepository('acme/other');
    const { runs } = RunList.parse((await ask(bench.issuer.token())).body);
    expect(runs.map(({ runId }) => runId)).toEqual([own]);
    expect((await ask(bench.issuer.token(), `/v1/runs/${own}`)).status).toBe(200);
    expect((await ask(bench.issuer.token(), `/v1/runs/${own}/instances`)).status).toBe(200);
    for (const path of [`/v1/runs/${other}`, `/v1/runs/${other}/instances`]) {
      const reply = await ask(bench.issuer.token(), path);
      expect(reply.status).toBe(404);
      expect(await auditOf(bench.service, reply)).toMatchObject({ status: 404, reason: 'other_repository' });
    }
  });

  test('is told the same of a run of another repository and of none at all', async () => {
    const other = await runOfRepository('acme/other');
    const [there, none] = [
      await ask(bench.issuer.token(), `/v1/runs/${other}`),
      await ask(bench.issuer.token(), '/v1/runs/none'),
    ];
    const text = (reply: Reply, id: string) => JSON.stringify(reply.body).replaceAll(id, 'ID');
    expect(text(there, other)).toBe(text(none, 'none'));
  });

  test('cancels a run of its own repository, and no other', async () => {
    const { link, asked } = await cancelAnswerer(around.nats, (runId) => ({
      answer: 'ok',
      runId: runId as never,
      state: 'CANCELLED',
      cancelledInstances: 1,
    }));
    const [own, other] = [await runOfRepository('acme/agent'), await runOfRepository('acme/other')];
    expect((await ask(bench.issuer.token(), `/v1/runs/${own}/cancel`, 'POST')).status).toBe(200);
    expect((await ask(bench.issuer.token(), `/v1/runs/${other}/cancel`, 'POST')).status).toBe(404);
    expect(asked).toEqual([own]);
    await link.close();
  });

  test.each([
    ['POST', '/v1/runs'],
    ['POST', '/v1/predictions'],
    ['GET', '/v1/suites/demo/instances'],
    ['GET', `/v1/artifacts/${'a'.repeat(64)}`],
    ['GET', '/v1/tokens'],
    ['POST', '/v1/tokens'],
    ['GET', '/v1/audit'],
  ])('may not %s %s, and its token is not spent by that', async (method, path) => {
    const token = bench.issuer.token();
    const reply = await ask(token, path, method);
    expect(reply.status).toBe(403);
    expect(await auditOf(bench.service, reply)).toMatchObject({
      reason: 'workflow_not_admitted',
      principalKind: 'workflow',
      principal: 'workflow run 4711.1 of acme/agent by octocat',
    });
    expect((await ask(token)).status).toBe(200);
  });
});

describe('a token', () => {
  test('is used once', async () => {
    const token = bench.issuer.token();
    expect((await ask(token)).status).toBe(200);
    const again = await ask(token);
    expect(again.status).toBe(401);
    expect(await auditOf(bench.service, again)).toMatchObject({ reason: 'token_replayed', principalKind: 'workflow' });
  });

  test('is used once by twenty calls at the same moment', async () => {
    const token = bench.issuer.token();
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(token)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 401)]);
  });

  test('cannot be used again under another signature of the same jti', async () => {
    const jti = 'one-and-the-same';
    expect((await ask(bench.issuer.token({ jti }))).status).toBe(200);
    expect((await ask(bench.issuer.token({ jti, iat: seconds() - 5 }))).status).toBe(401);
  });

  test.each<[string, number, string, () => Claims, Forgery]>([
    ['expired', 401, 'token_expired', () => ({ exp: seconds() - CLOCK_TOLERANCE_SECONDS - 1 }), {}],
    ['for another audience', 401, 'audience_wrong', () => ({ aud: 'https://github.com/acme' }), {}],
    ['for two audiences', 401, 'audience_wrong', () => ({ aud: ['assay', 'other'] }), {}],
    ['of another issuer', 401, 'issuer_wrong', () => ({ iss: 'https://token.actions.githubusercontent.com' }), {}],
    ['without a signature', 401, 'algorithm_not_allowed', () => ({}), { alg: 'none' }],
    ['signed with the public key as a secret', 401, 'algorithm_not_allowed', () => ({}), { alg: 'HS256' }],
    ['of an unknown key', 401, 'key_unknown', () => ({}), { kid: 'ghost' }],
    ['of another key under the same name', 401, 'signature_wrong', () => ({}), { wrongKey: true }],
    ['without a jti', 401, 'claim_wrong', () => ({ jti: undefined }), {}],
    [
      'of a pull request',
      403,
      'event_not_allowed',
      () => ({ event_name: 'pull_request', ref: 'refs/pull/1/merge' }),
      {},
    ],
    ['of a fork', 403, 'repository_not_allowed', () => ({ repository: 'mallory/agent', repository_id: '31337' }), {}],
    ['of a branch', 403, 'ref_not_allowed', () => ({ ref: 'refs/heads/evil' }), {}],
    [
      'of another workflow',
      403,
      'workflow_not_allowed',
      () => ({ workflow_ref: 'acme/agent/.github/workflows/evil.yml@refs/tags/v1.0.0' }),
      {},
    ],
  ])('%s is refused (%d), written down, and leaves nothing', async (_name, status, reason, claims, forgery) => {
    const before = await stateOf(around);
    const reply = await ask(bench.issuer.token(claims(), forgery));
    expect(reply.status).toBe(status);
    expect(await auditOf(bench.service, reply)).toMatchObject({
      status,
      reason,
      principalKind: 'nobody',
      route: '/v1/runs',
    });
    expect(await stateOf(around)).toEqual(before);
  });

  test('that was refused by the policy is good once the policy would take it: it was not spent', async () => {
    const jti = 'refused-first';
    expect((await ask(bench.issuer.token({ jti, event_name: 'push' }))).status).toBe(403);
    expect((await ask(bench.issuer.token({ jti }))).status).toBe(200);
  });

  test('whose issuer cannot be asked is answered 503 with the reason, and is good later', async () => {
    const fresh = await edgeBench(around);
    const token = fresh.issuer.token();
    const asking = () => call(fresh.service, 'GET', '/v1/runs', { headers: bearer(token) });
    fresh.issuer.fail(500);
    const reply = await asking();
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
    expect(JSON.stringify(reply.body)).toContain("the issuer's keys cannot be had");
    expect(await auditOf(fresh.service, reply)).toMatchObject({ reason: 'issuer_unreachable' });
    fresh.issuer.mend();
    expect((await asking()).status).toBe(200);
    await fresh.issuer.stop();
  });

  test('after the issuer has changed its keys, those of the new one are taken, and the old one’s are not', async () => {
    const fresh = await edgeBench(around);
    const asking = (token: string) => call(fresh.service, 'GET', '/v1/runs', { headers: bearer(token) });
    const old = fresh.issuer.token();
    fresh.issuer.rotate();
    expect((await asking(fresh.issuer.token())).status).toBe(200);
    expect((await asking(old)).status).toBe(401);
    await fresh.issuer.stop();
  });
});

test('tokens stand in no log line and in no table', async () => {
  const token = bench.issuer.token();
  await ask(token);
  await ask(token, `/v1/runs/${token}`);
  const line = await call(bench.service, 'GET', '/v1/audit');
  expect(around.logs.join('')).not.toContain(token);
  expect(JSON.stringify(line.body)).not.toContain(token.split('.')[2]);
});

test('without an audience no workflow is let in', async () => {
  const off = await edgeBench(around, { ASSAY_OIDC_AUDIENCE: '' });
  const reply = await call(off.service, 'GET', '/v1/runs', { headers: bearer(off.issuer.token()) });
  expect(reply.status).toBe(401);
  expect(await auditOf(off.service, reply)).toMatchObject({ reason: 'oidc_off' });
  await off.issuer.stop();
});
