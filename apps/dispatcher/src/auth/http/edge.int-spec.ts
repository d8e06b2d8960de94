import { randomUUID } from 'node:crypto';
import { ErrorReply } from '@assay/contracts';
import type { RunningService } from '@assay/service-kit';
import {
  aSubmission,
  call,
  clearedAway,
  startDispatcher,
  surroundings,
  type Surroundings,
  TOKEN,
} from '../../harness/test-dispatcher';
import { auditLine, auditOf, exchange, requestText, stateOf } from '../harness/edge-bench';

let around: Surroundings;
let service: RunningService;

beforeAll(async () => {
  around = await surroundings();
  service = await startDispatcher(around, { ASSAY_BODY_TIMEOUT_MS: '200', ASSAY_HEADERS_TIMEOUT_MS: '400' });
});
afterAll(() => clearedAway(around));

const authorization = `authorization: Bearer ${TOKEN}`;

describe('a path that can be read in two ways', () => {
  test.each([
    '/v1/runs/../audit',
    '/v1/runs/..',
    '/v1/./runs',
    '/v1//runs',
    '//v1/runs',
    '/v1/runs/%2e%2e/audit',
    '/v1/runs/%2E%2E%2Faudit',
    '/v1/runs/a%2fb',
    '/v1/runs/a%5cb',
    String.raw`/v1/runs/a\b`,
    '/v1/runs/a%00b',
    '/v1/runs/a%0d%0aset-cookie:x',
    '/v1/runs/%252e%252e',
    '/v1/runs/%25',
    '/v1/runs/%ff',
    '/v1/runs/%',
  ])('is refused and written down, without a stack: %s', async (path) => {
    const before = await stateOf(around);
    const answer = await exchange(service, requestText(`GET ${path}`, [authorization]));
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const body = ErrorReply.parse(JSON.parse(answer.split('\r\n\r\n')[1]!));
    expect(body.message).toMatch(/^the path is not valid: expected /);
    expect(answer).not.toMatch(/node_modules|\.ts:|at .*\(/);
    const line = await auditLine(service, (one) => one.path === path);
    expect(line).toMatchObject({ status: 400, reason: 'path_not_valid', principalKind: 'nobody' });
    expect(await stateOf(around)).toEqual(before);
  });

  test.each(['GET http://evil.example/v1/runs', 'GET *', 'OPTIONS *'])('nor is %s one', async (line) => {
    expect(await exchange(service, requestText(line, [authorization]))).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test('and a slash at the end is none', async () => {
    expect((await call(service, 'GET', '/v1/runs/')).status).toBe(200);
  });
});

describe('headers', () => {
  const submission = JSON.stringify(aSubmission());
  const post = (headers: string[], body = submission) =>
    requestText(
      'POST /v1/runs',
      ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, ...headers],
      body,
    );

  test.each([
    ['Idempotency-Key', ['idempotency-key: one', 'Idempotency-Key: two']],
    ['Idempotency-Key, the same twice', ['idempotency-key: one', 'Idempotency-Key: one']],
    ['Authorization', ['authorization: Bearer x', 'idempotency-key: k']],
    ['Content-Type', ['content-type: text/plain', 'idempotency-key: k']],
  ])('that are there twice are refused: %s', async (_name, headers) => {
    const before = await stateOf(around);
    const answer = await exchange(service, post([authorization, ...headers]));
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*is there more than once/s);
    expect(await stateOf(around)).toEqual(before);
    await auditLine(service, ({ reason }) => reason === 'header_twice');
  });

  test.each([
    ['two lengths', ['content-length: 5', 'idempotency-key: k']],
    ['a length and chunks', ['transfer-encoding: chunked', 'idempotency-key: k']],
    ['a line feed alone', ['idempotency-key: k\nx-evil: 1']],
    ['a NUL', ['idempotency-key: k\0']],
    ['a space before the colon', ['idempotency-key : k']],
    ['a second line of a header', ['idempotency-key: k\r\n folded']],
  ])('that could smuggle something are refused: %s', async (_name, headers) => {
    const before = await stateOf(around);
    const answer = await exchange(service, post([authorization, ...headers]));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(await stateOf(around)).toEqual(before);
  });

  test('that are no HTTP at all are answered and written down', async () => {
    const answer = await exchange(service, 'HELLO\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    const id = /x-request-id: (\S+)/.exec(answer)?.[1];
    expect(await auditLine(service, ({ requestId }) => requestId === id)).toMatchObject({
      reason: 'request_malformed',
      principalKind: 'nobody',
    });
  });

  test('that are too large are refused with the limit', async () => {
    const answer = await exchange(
      service,
      requestText('GET /v1/runs', [authorization, `x-large: ${'a'.repeat(20_000)}`]),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 .*16384 bytes/s);
    await auditLine(service, ({ reason }) => reason === 'headers_too_large');
  });

  test('that come too slowly are ended', async () => {
    expect(await exchange(service, 'GET /v1/runs HTTP/1.1\r\nhost: a\r\n')).toMatch(/^HTTP\/1\.1 408 /);
    await auditLine(service, ({ reason }) => reason === 'request_too_slow');
  });

  test.each([
    [
      'without a host',
      `GET /v1/runs HTTP/1.1\r\n${authorization}\r\nconnection: close\r\n\r\n`,
      { status: 400, reason: 'host_missing', method: 'GET', path: '/v1/runs' },
    ],
    [
      'with an expectation that nobody knows',
      requestText('GET /v1/runs', [authorization, 'expect: foo']),
      { status: 417, reason: 'expectation_unknown', method: 'GET', path: '/v1/runs' },
    ],
    [
      'of a tunnel',
      'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n',
      { status: 405, reason: 'method_not_allowed', method: 'CONNECT', path: 'example.org:443' },
    ],
  ])('%s are refused by us, not by Node, and written down', async (_, text, line) => {
    const answer = await exchange(service, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${line.status} `));
    expect(ErrorReply.parse(JSON.parse(answer.split('\r\n\r\n')[1]!)).statusCode).toBe(line.status);
    const id = /x-request-id: (\S+)/i.exec(answer)?.[1];
    expect(await auditLine(service, ({ requestId }) => requestId === id)).toMatchObject(line);
  });

  test('of HTTP/1.0, which knows no host, are taken without one', async () => {
    expect(await exchange(service, `GET /v1/runs HTTP/1.0\r\n${authorization}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('of the caller are not the number of the request', async () => {
    const reply = await call(service, 'GET', '/v1/runs', { headers: { 'x-request-id': 'mine' } });
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a body', () => {
  const submit = (body: string) =>
    call(service, 'POST', '/v1/runs', { body, headers: { 'idempotency-key': randomUUID() } });

  test('that announces more than the limit is refused at once, naming the limit', async () => {
    const answer = await exchange(
      service,
      requestText('POST /v1/runs', [authorization, 'content-type: application/json', 'content-length: 65537']),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*the body is larger than 65536 bytes/s);
    await auditLine(service, ({ reason }) => reason === 'body_too_large');
  });

  test('that announces nothing and is more than the limit is refused, naming the limit', async () => {
    const size = 70_000;
    const chunk = `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n0\r\n\r\n`;
    const head = requestText('POST /v1/runs', [
      ...[authorization, 'content-type: application/json', 'transfer-encoding: chunked'],
    ]);
    const answer = await exchange(service, head, chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*the body is larger than 65536 bytes/s);
    const id = /x-request-id: (\S+)/i.exec(answer)?.[1];
    const line = await auditLine(service, ({ requestId }) => requestId === id);
    expect(line).toMatchObject({ status: 413, reason: 'body_too_large' });
  });

  test('of predictions may be larger, and is refused by their own limit', async () => {
    const announced = ['content-type: application/x-ndjson', 'content-length: 4294967297'];
    expect(await exchange(service, requestText('POST /v1/predictions', [authorization, ...announced]))).toMatch(
      /^HTTP\/1\.1 413 .*larger than 4294967296 bytes/s,
    );
  });

  test.each(['/v1/runs', '/v1/predictions', '/v1/tokens'])('that stands still at %s is ended', async (path) => {
    const before = await stateOf(around);
    const type = path === '/v1/predictions' ? 'application/x-ndjson' : 'application/json';
    const head = requestText(`POST ${path}`, [authorization, `content-type: ${type}`, 'content-length: 1000'], '{"a":');
    const answer = await exchange(service, head);
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*did not come within/s);
    const line = await auditLine(service, ({ reason, path: of }) => reason === 'body_too_slow' && of === path);
    expect(line.status).toBe(408);
    expect(await stateOf(around)).toEqual(before);
  });

  test.each([
    ['broken', '{"suite":'],
    ['of other things than an object', 'null'],
    ['of a lonely surrogate', '"\\ud800"'],
    ['very deep', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['very deep in a field', `{"suite":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['with a prototype in it', '{"__proto__":{"suite":"demo"},"constructor":{"prototype":{}}}'],
  ])('of JSON that is %s is refused, without a stack and without a trace', async (_name, text) => {
    const before = await stateOf(around);
    const reply = await submit(text);
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body)).not.toMatch(/node_modules|at .*\(/);
    expect(await auditOf(service, reply)).toMatchObject({
      status: 400,
      reason: 'bad_request',
    });
    expect(await stateOf(around)).toEqual(before);
  });
});

describe('the audit log', () => {
  test('has a line for an accepted call: who, what, from where', async () => {
    const reply = await call(service, 'POST', '/v1/runs', {
      body: aSubmission({ model: 'a-secret-model' }),
      headers: { 'idempotency-key': randomUUID() },
    });
    expect(await auditOf(service, reply)).toMatchObject({
      principalKind: 'deployment',
      principal: 'the deployment',
      method: 'POST',
      route: '/v1/runs',
      path: '/v1/runs',
      status: 202,
      reason: null,
      address: expect.stringMatching(/127\.0\.0\.1$/) as string,
    });
    const line = around.logs.find((text) => text.includes(reply.headers.get('x-request-id')!));
    expect(line).toContain('call accepted');
  });

  test('has a line for a refused one, and neither holds a token, a query or a body', async () => {
    const reply = await call(service, 'GET', '/v1/runs?cursor=in-the-query', {
      headers: { authorization: 'Bearer assay_a-canary-token' },
    });
    const line = await auditOf(service, reply);
    expect(line).toMatchObject({ status: 401, reason: 'token_unknown', principal: null });
    const found = JSON.stringify([line, around.logs.filter((text) => text.includes('call '))]);
    expect(found).not.toMatch(/a-canary-token|in-the-query|a-secret-model/);
  });

  test('has none of the pages that anybody may look at', async () => {
    for (const path of ['/livez', '/readyz', '/docs-json']) expect((await call(service, 'GET', path)).status).toBe(200);
    const reply = await call(service, 'GET', '/v1/nothing');
    expect(await auditOf(service, reply)).toMatchObject({ status: 404, route: null });
    const rows = await around.database.query(
      `select 1 from audit_log where path in ('/livez', '/readyz', '/docs-json')`,
    );
    expect(rows).toEqual([]);
  });

  test('is whole when the service has stopped', async () => {
    const other = await startDispatcher(around);
    const replies = await Promise.all(Array.from({ length: 50 }, () => call(other, 'GET', '/v1/runs')));
    await other.stop();
    const ids = replies.map(({ headers }) => headers.get('x-request-id'));
    const rows = await around.database.query('select 1 from audit_log where request_id = any($1::uuid[])', [ids]);
    expect(rows).toHaveLength(50);
  });
});

describe('calls', () => {
  test('of one address are counted, whoever it says it calls for', async () => {
    const other = await startDispatcher(around, { ASSAY_RATE_PER_ADDRESS: '3' });
    const ask = (n: number) => call(other, 'GET', '/v1/runs', { headers: { 'x-forwarded-for': `10.0.0.${n}` } });
    const replies = [await ask(1), await ask(2), await ask(3), await ask(4)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(Number(replies[3]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(other, 'GET', '/livez')).status).toBe(200);
    expect(await auditOf(service, replies[3]!)).toMatchObject({ reason: 'too_many_calls' });
  });

  test('are those of the address that a trusted proxy names', async () => {
    const other = await startDispatcher(around, {
      ASSAY_RATE_PER_ADDRESS: '1',
      ASSAY_TRUSTED_PROXIES: 'loopback',
    });
    const ask = (from: string) => call(other, 'GET', '/v1/runs', { headers: { 'x-forwarded-for': from } });
    const replies = [await ask('203.0.113.1'), await ask('203.0.113.2'), await ask('203.0.113.9, 203.0.113.1')];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(await auditOf(service, replies[0]!)).toMatchObject({ address: '203.0.113.1' });
  });

  test('of one caller are counted', async () => {
    const other = await startDispatcher(around, { ASSAY_RATE_PER_CALLER: '2' });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await call(other, 'GET', '/v1/runs')).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('with wrong tokens end in none being looked at, also right ones, until the minute is over', async () => {
    const other = await startDispatcher(around, { ASSAY_RATE_FAILURES: '2' });
    const ask = async (token: string) =>
      call(other, 'GET', '/v1/runs', { headers: { authorization: `Bearer ${token}` } });
    const replies = [await ask('guess-1'), await ask('guess-2'), await ask('guess-3'), await ask(TOKEN)];
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 429, 429]);
    expect(await auditOf(service, replies[2]!)).toMatchObject({ reason: 'too_many_failures' });
  });
});
