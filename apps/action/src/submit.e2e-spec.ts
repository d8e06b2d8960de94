import { runStep } from '@assay/testing';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DispatcherDouble, refusal } from './testdata/dispatcher-double';
import { stepWorld } from './testdata/step-world';

const world = stepWorld();
const { step } = world;

describe('a try that may pass', () => {
  test.each([
    ['a 500', refusal(500, 'the database is away')],
    ['a 502 of a proxy', (response) => response.writeHead(502).end('<html>Bad Gateway</html>')],
    ['a 429', refusal(429, 'too many requests', { 'retry-after': '0' })],
    ['a 503 until a date that is past', refusal(503, 'later', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })],
    ['a cut connection', (_, request) => request.socket.destroy()],
    [
      'half an answer',
      (response) => response.writeHead(202, { 'content-length': '999' }).write('{', () => response.destroy()),
    ],
  ] satisfies [string, DispatcherDouble['next'][number]][])(
    'such as %s is repeated with the same key and a new token',
    async (_, answer) => {
      world.dispatcher.next.push(answer);
      const { exitCode, log, outputs } = await runStep(step());
      expect(exitCode).toBe(0);
      expect(log).toMatch(/^Try 1 of 8: .*; again in 1 s\nHanded over/);
      expect(outputs['run-id']).toBe('run-1');
      const [first, second] = world.dispatcher.received;
      expect(second).toMatchObject({ key: first?.key, body: first?.body });
      expect(second?.token).not.toBe(first?.token);
    },
  );

  test('whose answer was lost starts nothing twice', async () => {
    await runStep(step({ env: { GITHUB_RUN_ATTEMPT: '1' } }));
    world.dispatcher.next.push((_, request) => request.socket.destroy());
    const { outputs } = await runStep(step());
    expect(outputs).toMatchObject({ 'run-id': 'run-1', deduplicated: 'true' });
    expect(world.dispatcher.runs.size).toBe(1);
  });

  test('is repeated so often and no more', async () => {
    for (let n = 0; n < 10; n += 1) world.dispatcher.next.push(refusal(503, `down ${n}`));
    const { exitCode, log } = await runStep(step({ inputs: { attempts: '3' } }));
    expect(exitCode).toBe(1);
    expect(log).toContain('::error::given up after 3 tries: the dispatcher answered 503: down 2\n');
    expect(world.dispatcher.received).toHaveLength(3);
  });

  test('waits as long as it was asked to', async () => {
    world.dispatcher.next.push(refusal(429, 'too many requests', { 'retry-after': '1' }));
    const started = Date.now();
    expect(await runStep(step())).toMatchObject({ exitCode: 0 });
    expect(Date.now() - started).toBeGreaterThanOrEqual(1000);
  });

  test('is given up where more patience is asked for than a job has', async () => {
    world.dispatcher.next.push(refusal(429, 'too many requests', { 'retry-after': '3600' }));
    const { exitCode, log } = await runStep(step());
    expect(exitCode).toBe(1);
    expect(log).toContain('it asks for 3600 s of patience: run the job again then');
    expect(world.dispatcher.received).toHaveLength(1);
  });

  test('ends after its time', async () => {
    world.dispatcher.next.push(() => undefined);
    const { exitCode, log } = await runStep(step({ inputs: { 'request-timeout-seconds': '0.5' } }));
    expect(exitCode).toBe(0);
    expect(log).toContain(`Try 1 of 8: ${world.dispatcher.url} did not answer within 0.5 s`);
  });

  test('finds nobody where nobody listens', async () => {
    const inputs = { url: 'http://127.0.0.1:1', attempts: '2' };
    const { exitCode, log } = await runStep(step({ inputs }));
    expect(exitCode).toBe(1);
    expect(log).toMatch(/::error::given up after 2 tries: no answer from http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
  });
});

test.each([400, 401, 403, 404, 409, 413, 422])('a %d is final, and its reason is told', async (status) => {
  world.dispatcher.next.push(refusal(status, 'this is why'));
  const { exitCode, log, outputs } = await runStep(step());
  expect({ exitCode, log }).toEqual({ exitCode: 1, log: `::error::the dispatcher answered ${status}: this is why\n` });
  expect(outputs).toEqual({});
  expect(world.dispatcher.received).toHaveLength(1);
});

test('a redirect is not followed: the token is for one server', async () => {
  const other = await DispatcherDouble.start();
  world.dispatcher.next.push((response) => response.writeHead(307, { location: `${other.url}/v1/releases` }).end());
  const { exitCode, log } = await runStep(step());
  expect(exitCode).toBe(1);
  expect(log).toContain('the dispatcher answered 307');
  expect(other.received).toEqual([]);
  await other.stop();
});

describe('without an OIDC token', () => {
  test('of a job that may not ask for one, the permission is named', async () => {
    const { exitCode, log } = await runStep(step({ env: { ACTIONS_ID_TOKEN_REQUEST_URL: undefined } }));
    expect(exitCode).toBe(1);
    expect(log).toBe('::error::the job may not ask for an OIDC token: give it `permissions: id-token: write`\n');
  });

  test('because the request is refused, nobody is asked', async () => {
    const { exitCode, log } = await runStep(step({ env: { ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'unknown-token' } }));
    expect({ exitCode, log }).toEqual({ exitCode: 1, log: '::error::GitHub gives this job no OIDC token (401)\n' });
    expect(world.dispatcher.received).toEqual([]);
  });

  test('for now, it is asked for again', async () => {
    const statuses = [503, 429];
    const service = createServer((_, response) => {
      const status = statuses.shift() ?? 200;
      response.writeHead(status).end(JSON.stringify({ value: status === 200 ? world.issuer.token() : '' }));
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/token`;
    const { exitCode, log } = await runStep(step({ env: { ACTIONS_ID_TOKEN_REQUEST_URL: url } }));
    service.close();
    expect(exitCode).toBe(0);
    expect(log).toContain('Try 1 of 8: GitHub gives no OIDC token now (503)');
    expect(log).toContain('Try 2 of 8: GitHub gives no OIDC token now (429)');
  });

  test('with another audience the dispatcher says so', async () => {
    const { log } = await runStep(step({ inputs: { audience: 'somebody' } }));
    expect(log).toContain('the dispatcher answered 401: the token is for somebody else');
  });
});
