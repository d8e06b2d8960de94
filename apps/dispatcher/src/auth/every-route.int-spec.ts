import { randomUUID } from 'node:crypto';
import { Scope } from '@assay/contracts';
import type { RunningService } from '@assay/service-kit';
import { call, clearedAway, startDispatcher, surroundings, type Surroundings } from '../harness/test-dispatcher';
import { auditOf, bearer, serviceToken, stateOf } from './harness/edge-bench';

// Every operation that the API's own description has: one that is added later is held to the same.

interface Operation {
  readonly method: string;
  readonly path: string;
}

let around: Surroundings;
let service: RunningService;
let operations: Operation[];

beforeAll(async () => {
  around = await surroundings();
  service = await startDispatcher(around);
  const { body } = await call(service, 'GET', '/docs-json');
  const { paths } = body as { paths: Record<string, Record<string, unknown>> };
  operations = Object.entries(paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })))
    .filter(({ path }) => path.startsWith('/v1/') && path !== '/v1/keys')
    .map(({ method, path }) => ({
      method,
      path: path.replace('{digest}', 'a'.repeat(64)).replaceAll(/\{\w+\}/g, 'x-1'),
    }));
});
afterAll(() => clearedAway(around));

const ask = ({ method, path }: Operation, headers: Record<string, string>) =>
  call(service, method, path, {
    headers: { 'idempotency-key': randomUUID(), ...headers },
    ...(method === 'POST' ? { body: '{}' } : {}),
  });

test('there are as many as a reader would count', () => {
  expect(operations.length).toBeGreaterThanOrEqual(12);
});

test.each([
  ['no token', { authorization: '' }, 'credentials_missing'],
  ['a name and a password', { authorization: `Basic ${btoa('admin:admin')}` }, 'credentials_missing'],
  ['an empty token', { authorization: 'Bearer ' }, 'credentials_missing'],
  ['a token that nobody knows', bearer('assay_guess'), 'token_unknown'],
  ['the hash of a token', bearer('0'.repeat(64)), 'token_unknown'],
])(
  'with %s each is refused (401), says how to prove it, is written down, and changes nothing',
  async (_, headers, reason) => {
    const before = await stateOf(around);
    for (const operation of operations) {
      const reply = await ask(operation, headers);
      expect([operation, reply.status]).toEqual([operation, 401]);
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(await auditOf(service, reply)).toMatchObject({
        ...{
          status: 401,
          reason,
          principalKind: 'nobody',
          principal: null,
          method: operation.method,
          path: operation.path,
        },
      });
    }
    expect(await stateOf(around)).toEqual(before);
  },
);

test('with every scope but its own each is refused (403), names it, is written down, and changes nothing', async () => {
  const tokens = new Map<Scope, string>();
  for (const scope of Scope.options) {
    const scopes = Scope.options.filter((each) => each !== scope);
    tokens.set(scope, (await serviceToken(service, { name: `all but ${scope}`, scopes })).token);
  }
  for (const operation of operations) {
    const refused: string[] = [];
    for (const [scope, token] of tokens) {
      const before = await stateOf(around);
      const reply = await ask(operation, bearer(token));
      if (reply.status !== 403) continue;
      refused.push(scope);
      expect(reply.body).toMatchObject({ message: `the token does not have the scope ${scope}` });
      expect(await auditOf(service, reply)).toMatchObject({ reason: 'scope_missing', principalKind: 'service' });
      expect(await stateOf(around)).toEqual(before);
    }
    expect([operation, refused.length]).toEqual([operation, 1]);
  }
});
