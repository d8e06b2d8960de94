import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
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
import { auditLine, auditOf, bearer, stateOf } from '../harness/edge-bench';

const MIB = 1_048_576;
let around: Surroundings;
let service: RunningService;
const sockets: Socket[] = [];

beforeAll(async () => {
  around = await surroundings();
  service = await startDispatcher(around);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => clearedAway(around));

/** A connection on which headers are sent, and what came back until an answer of this status was there. */
async function asked(status: number, head: readonly string[]): Promise<{ socket: Socket; answer: string }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  let answer = '';
  while (!answer.includes(`HTTP/1.1 ${status} `) || !answer.endsWith(status === 100 ? '\r\n\r\n' : '}')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    answer += chunk.toString();
  }
  return { socket, answer };
}
const json = ['host: assay', 'content-type: application/json'];

describe('a body of nobody', () => {
  test.each(['/v1/runs', '/v1/releases', '/v1/predictions', '/v1/tokens', '/v1/nothing', '/docs', '/'])(
    'is refused at %s when its headers are there, and written down: nothing of it was sent',
    async (path) => {
      const before = await stateOf(around);
      const { answer } = await asked(401, [`POST ${path} HTTP/1.1`, ...json, `content-length: ${MIB}`]);
      expect(answer).toMatch(/\r\nwww-authenticate: Bearer\r\n/i);
      const id = /x-request-id: (\S+)/i.exec(answer)?.[1];
      expect(await auditLine(service, ({ requestId }) => requestId === id)).toMatchObject({
        ...{ status: 401, reason: 'credentials_missing', principalKind: 'nobody', path },
      });
      expect(await stateOf(around)).toEqual(before);
    },
  );

  test('is not parsed: neither one that announces its length, nor one in chunks, nor one with a wrong token', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    try {
      const canary = `{"canary":"${'x'.repeat(20_000)}"}`;
      const head = ['POST /v1/runs HTTP/1.1', ...json];
      for (const headers of [
        [`content-length: ${canary.length}`],
        ['transfer-encoding: chunked'],
        [`content-length: ${canary.length}`, 'authorization: Bearer assay_guess'],
      ]) {
        const chunked = headers[0]?.startsWith('transfer') === true;
        const body = chunked ? `${canary.length.toString(16)}\r\n${canary}\r\n0` : canary;
        await asked(401, [...head, ...headers, '', body]);
      }
      expect(parse.mock.calls.filter(([text]) => text === canary)).toEqual([]);
      const known = await call(service, 'POST', '/v1/runs', { body: canary });
      expect(known.status).toBe(400);
      expect(parse.mock.calls.filter(([text]) => text === canary)).toHaveLength(1);
    } finally {
      parse.mockRestore();
    }
  });

  test.each([
    ['broken JSON', 'application/json', '{"suite":'],
    ['very deep JSON', 'application/json', '['.repeat(500)],
    ['no JSON', 'text/plain', 'hello'],
  ])('is refused for its sender, not for what is in it: %s', async (_, type, body) => {
    const reply = await call(service, 'POST', '/v1/runs', {
      body,
      headers: { authorization: '', 'content-type': type },
    });
    expect(reply.status).toBe(401);
  });

  test('leaves its sender the time to take the answer, and is thrown away', async () => {
    const reply = await call(service, 'POST', '/v1/predictions', {
      body: 'x'.repeat(4 * MIB),
      headers: { ...bearer('assay_guess'), 'content-type': 'application/x-ndjson' },
    });
    expect(reply.status).toBe(401);
    expect(await auditOf(service, reply)).toMatchObject({ reason: 'token_unknown' });
  });

  test('that never ends loses its connection', async () => {
    const { socket } = await asked(401, ['POST /v1/runs HTTP/1.1', ...json, `content-length: ${MIB}`]);
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.write('{');
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  test('counts as a guess where a token stands beside it, once', async () => {
    const other = await startDispatcher(around, { ASSAY_RATE_FAILURES: '2' });
    const guess = (n: number) =>
      call(other, 'POST', '/v1/runs', { body: '{}', headers: { authorization: `Bearer guess-${n}` } });
    const statuses = [];
    for (const n of [1, 2, 3]) statuses.push((await guess(n)).status);
    expect(statuses).toEqual([401, 401, 429]);
  });
});

describe('who waits to be told to send', () => {
  const waiting = (...headers: string[]) => ['POST /v1/runs HTTP/1.1', ...json, 'expect: 100-continue', ...headers];
  const authorization = `authorization: Bearer ${TOKEN}`;

  test('is told to where the body is wanted', async () => {
    const body = JSON.stringify(aSubmission());
    const { socket, answer } = await asked(
      100,
      waiting(authorization, `idempotency-key: ${randomUUID()}`, `content-length: ${body.length}`),
    );
    expect(answer).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 202 /);
  });

  test.each([
    ['nobody', 401, 10, []],
    ['who sends too much', 413, MIB, [authorization]],
  ])('is told that it is not: %s', async (_, status, length, headers) => {
    const { answer } = await asked(status, waiting(...headers, `content-length: ${length}`));
    expect(answer).not.toContain('100 Continue');
  });
});

test('what is wrong with a body of somebody is written down as theirs', async () => {
  const reply = await call(service, 'POST', '/v1/runs', { body: '{"suite":', headers: { 'idempotency-key': 'k' } });
  expect(await auditOf(service, reply)).toMatchObject({ status: 400, principalKind: 'deployment' });
});
