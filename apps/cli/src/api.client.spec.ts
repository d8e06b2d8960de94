import { RunId, type SubmitRequest } from '@assay/contracts';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient, ApiError } from './api.client';

let server: Server;
let answer: { status: number; body: string };
let seen: IncomingMessage[];

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push(request);
    response.writeHead(answer.status).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const client = (): ApiClient =>
  new ApiClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'secret' });
const body: SubmitRequest = {
  suite: 'demo',
  evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
  model: 'm',
  trigger: 'manual',
};
const failure = async (call: Promise<unknown>): Promise<ApiError> => {
  const error = await call.catch((caught: unknown) => caught);
  if (error instanceof ApiError) return error;
  throw new Error('expected an ApiError');
};

test('a call carries the token and gives back what was answered', async () => {
  answer = { status: 200, body: JSON.stringify({ runs: [], nextCursor: null }) };
  expect(await client().runs('a b')).toEqual({ runs: [], nextCursor: null });
  expect(seen[0]?.headers.authorization).toBe('Bearer secret');
  expect(seen[0]?.url).toBe('/v1/runs?cursor=a%20b');
});

test('a refusal names every field, its value and what was expected', async () => {
  answer = {
    status: 400,
    body: JSON.stringify({
      statusCode: 400,
      error: 'Bad Request',
      message: 'the body is not valid',
      errors: [{ field: 'limit', value: 0, expected: 'at least 1' }],
    }),
  };
  const error = await failure(client().run(RunId.parse('r')));
  expect(error.message).toBe('the body is not valid\n  limit: at least 1, got 0');
  expect(error.status).toBe(400);
});

test('a problem without a value is one of something that is missing', async () => {
  const errors = [{ field: 'Idempotency-Key', expected: 'expected a key' }];
  answer = { status: 400, body: JSON.stringify({ statusCode: 400, error: 'Bad Request', message: 'no', errors }) };
  expect((await failure(client().run(RunId.parse('r')))).message).toBe(
    'no\n  Idempotency-Key: expected a key, got nothing',
  );
});

test('the address of a submitted run is absolute', async () => {
  const reply = { runId: 'run-1', status: 'WAITING', statusUrl: '/v1/runs/run-1', deduplicated: false };
  answer = { status: 202, body: JSON.stringify(reply) };
  const { statusUrl } = await client().submit(body, 'key');
  expect(statusUrl).toBe(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/runs/run-1`);
  expect(seen[0]?.headers['idempotency-key']).toBe('key');
});

test('an answer of another kind is shown as it is', async () => {
  answer = { status: 502, body: '<html>bad gateway</html>' };
  expect((await failure(client().run(RunId.parse('r')))).message).toBe(
    'the server answered 502: <html>bad gateway</html>',
  );
});

test('a success that is something else than promised is an error, not a surprise later', async () => {
  answer = { status: 200, body: '{"runs":1}' };
  expect((await failure(client().runs(null))).message).toBe('GET /v1/runs answered something else than expected');
});

test('a server that is away is named', async () => {
  const url = 'http://127.0.0.1:9';
  const error = await failure(new ApiClient({ url, token: '' }).runs(null));
  expect(error.message).toMatch(/^no answer from http:\/\/127\.0\.0\.1:9: /);
  expect(error.status).toBeNull();
});
