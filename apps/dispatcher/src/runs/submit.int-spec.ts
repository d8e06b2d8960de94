import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorReply, InstanceId, SubmitReply, type SubmitRequest } from '@assay/contracts';
import type { RunningService } from '@assay/service-kit';
import {
  aSubmission,
  call,
  clearedAway,
  reached,
  runOf,
  startDispatcher,
  submit,
  surroundings,
} from '../harness/test-dispatcher';
import type { Surroundings } from '../harness/test-dispatcher';

let around: Surroundings;
let service: RunningService;

beforeAll(async () => {
  around = await surroundings();
  service = await startDispatcher(around);
});
afterAll(() => clearedAway(around));

const post = (body: unknown, key = randomUUID() as string, headers: Record<string, string> = {}) =>
  call(service, 'POST', '/v1/runs', { body, headers: { 'idempotency-key': key, ...headers } });

describe('a submission', () => {
  test('is answered at once with a new run, and frozen soon after', async () => {
    const { status, headers, body } = await post(aSubmission());
    expect(status).toBe(202);
    const reply = SubmitReply.parse(body);
    expect(reply).toMatchObject({ status: 'WAITING', deduplicated: false, statusUrl: `/v1/runs/${reply.runId}` });
    expect(reply.runId).toMatch(/^run-[0-9a-f]{16}$/);
    expect(headers.get('location')).toBe(reply.statusUrl);
    expect(await reached(service, reply.runId, 'QUEUED')).toMatchObject({
      agent: 'mini',
      states: { QUEUED: 8 },
      counts: { total: 8 },
    });
  });

  test('sent twice at the same time is one run', async () => {
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 5 }, () => post(aSubmission(), key)));
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    const parsed = replies.map(({ body }) => SubmitReply.parse(body));
    expect(new Set(parsed.map(({ runId }) => runId)).size).toBe(1);
    expect(parsed.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
  });

  test('is the same whatever the order of its keys', async () => {
    const key = randomUUID();
    const first = SubmitReply.parse((await post(aSubmission(), key)).body);
    const turned = Object.fromEntries(Object.entries(aSubmission()).reverse());
    expect((await post(turned, key)).body).toMatchObject({ runId: first.runId, deduplicated: true });
  });

  test('repeated later tells the state that the run has by then', async () => {
    const key = randomUUID();
    const { runId } = SubmitReply.parse((await post(aSubmission(), key)).body);
    await reached(service, runId, 'QUEUED');
    expect((await post(aSubmission(), key)).body).toMatchObject({ runId, status: 'QUEUED', deduplicated: true });
  });

  test('with the key of another body is refused, naming the run', async () => {
    const key = randomUUID();
    const { runId } = SubmitReply.parse((await post(aSubmission(), key)).body);
    const { status, body } = await post(aSubmission({ model: 'another' }), key);
    expect(status).toBe(409);
    const { message, errors } = ErrorReply.parse(body);
    expect(message).toContain(runId);
    expect(errors).toMatchObject([{ field: 'Idempotency-Key', value: key }]);
    expect((await runOf(service, runId)).model).toBe('none');
  });

  test('whose suite and agent are gone by then is its run all the same', async () => {
    const suites = await mkdtemp(join(around.dir, 'suites-'));
    await writeFile(join(suites, 'gone.yaml'), '');
    const other = await startDispatcher(around, { ASSAY_SUITES_DIR: suites });
    const again = (over: Partial<SubmitRequest> = {}, key = 'gone') =>
      call(other, 'POST', '/v1/runs', {
        body: aSubmission({ suite: 'gone', ...over }),
        headers: { 'idempotency-key': key },
      });
    const { runId } = SubmitReply.parse((await again()).body);
    await rm(join(suites, 'gone.yaml'));
    expect((await again()).body).toMatchObject({ runId, deduplicated: true });
    expect((await again({ model: 'another' })).status).toBe(409);
    expect((await again({}, 'new')).status).toBe(422);
    await other.stop();
  });

  test.each([
    ['no key', undefined, 'missing'],
    ['an empty key', '', 'not valid'],
    ['a key with spaces', 'a b', 'not valid'],
    ['a key that is too long', 'k'.repeat(201), 'not valid'],
  ])('with %s is refused, naming the header, its value and what is expected', async (_, key, how) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    const { status, body } = await call(service, 'POST', '/v1/runs', { body: aSubmission(), headers });
    expect(status).toBe(400);
    expect(ErrorReply.parse(body)).toMatchObject({
      message: `the header Idempotency-Key is ${how}`,
      errors: [
        {
          field: 'Idempotency-Key',
          ...(key === undefined ? {} : { value: key }),
          expected: 'expected 1 to 200 printable ASCII characters without spaces',
        },
      ],
    });
  });

  test.each(['javascript:alert(1)', 'http://example.org/'])('with %s as its GitHub run is refused', async (url) => {
    const { status, body } = await post(aSubmission({ githubRunUrl: url }));
    expect(status).toBe(400);
    expect(ErrorReply.parse(body).errors).toMatchObject([{ field: 'githubRunUrl', value: url }]);
  });

  test('whose body is not JSON by its header is refused, but not before its token is looked at', async () => {
    const headers = { 'content-type': 'text/yaml' };
    const { status, body } = await post(aSubmission(), randomUUID(), headers);
    expect(status).toBe(415);
    expect(ErrorReply.parse(body).errors).toEqual([
      { field: 'Content-Type', value: 'text/yaml', expected: 'expected application/json' },
    ]);
    expect((await post(aSubmission(), randomUUID(), { ...headers, authorization: 'Bearer wrong' })).status).toBe(401);
  });

  test.each([
    ['PUT', '/v1/runs', 'GET, HEAD, POST'],
    ['DELETE', '/v1/runs/run-1', 'GET, HEAD'],
    ['GET', '/v1/runs/run-1/cancel', 'POST'],
    ['POST', '/docs-json', 'GET, HEAD'],
  ])('by %s %s is refused with the methods that there are', async (method, path, allow) => {
    const { status, headers } = await call(service, method, path);
    expect([status, headers.get('allow')]).toEqual([405, allow]);
  });

  test('of an unknown suite is refused, naming those there are', async () => {
    const { status, body } = await post(aSubmission({ suite: 'ghost' }));
    expect(status).toBe(422);
    expect(ErrorReply.parse(body)).toMatchObject({
      message: 'unknown suite: ghost',
      errors: [
        { field: 'suite', value: 'ghost', expected: expect.stringMatching(/\bdemo, .*\bpython-demo\b/) as string },
      ],
    });
  });

  test('of an unknown agent is refused, naming those there are', async () => {
    const { status, body } = await post(aSubmission({ agent: 'ghost' }));
    expect(status).toBe(422);
    expect(ErrorReply.parse(body).errors).toMatchObject([
      {
        field: 'agent',
        value: 'ghost',
        expected: expect.stringMatching(/^expected one of: mini, nop, oracle\b/) as string,
      },
    ]);
  });

  test.each([
    [{ limit: 9 }, { field: 'limit', value: 9, expected: 'expected a whole number from 1 to 8' }],
    [
      { instanceId: InstanceId.parse('nope') },
      {
        field: 'instanceId',
        value: 'nope',
        expected: expect.stringMatching(/^expected an instance of demo: .+ has all 8\)$/) as string,
      },
    ],
  ])('of %j, which the suite does not have, is refused at once, and no run is made', async (over, problem) => {
    const key = randomUUID();
    const { status, body } = await post(aSubmission(over), key);
    expect(status).toBe(422);
    expect(ErrorReply.parse(body).errors).toEqual([problem]);
    expect(await around.database.query('select id from runs where idempotency_key = $1', [key])).toEqual([]);
  });

  test('of as many instances as there are is taken', async () => {
    expect((await post(aSubmission({ limit: 8 }))).status).toBe(202);
  });

  test('is refused with everything that is wrong about it at once, unknown keys by name', async () => {
    const { status, body } = await post({ ...aSubmission(), suite: '../etc', colour: 'red', maxAttempts: 9 });
    expect(status).toBe(400);
    const fields = ErrorReply.parse(body).errors.map(({ field }) => field);
    expect(fields.sort()).toEqual(['colour', 'maxAttempts', 'suite']);
  });

  test.each([
    ['no JSON', '{', 400],
    ['no object', '[]', 400],
    ['more than 64 KiB', JSON.stringify({ ...aSubmission(), model: 'm'.repeat(65_536) }), 413],
  ])('whose body is %s is refused', async (_, text, wanted) => {
    const { status, body } = await post(text);
    expect(status).toBe(wanted);
    expect(ErrorReply.parse(body).statusCode).toBe(wanted);
  });

  test('that is refused leaves nothing behind', async () => {
    const key = randomUUID();
    await post(aSubmission({ suite: 'ghost' }), key);
    const rows = await around.database.query('select id from runs where idempotency_key = $1', [key]);
    expect(rows).toEqual([]);
  });
});

test('the trace of a submission is the caller’s, and each instance begins one of its own', async () => {
  const traceId = 'c'.repeat(32);
  const { body } = await post(aSubmission(), randomUUID(), { traceparent: `00-${traceId}-${'d'.repeat(16)}-01` });
  const { runId } = SubmitReply.parse(body);
  expect((await reached(service, runId, 'QUEUED')).traceId).toBe(traceId);
  const instances = await around.database.query<{ traceparent: string }>(
    'select traceparent from instances where run_id = $1',
    [runId],
  );
  const traces = instances.map(({ traceparent }) => traceparent.split('-')[1]);
  expect(new Set(traces).size).toBe(8);
  expect(traces).not.toContain(traceId);
  const outbox = await around.database.query<{ traceparent: string }>(
    'select traceparent from outbox where run_id = $1',
    [runId],
  );
  expect(outbox.map(({ traceparent }) => traceparent.split('-')[1])).toEqual([traceId]);
});

test('a run without a trace of its caller begins one', async () => {
  const { runId } = await submit(service);
  expect((await runOf(service, runId)).traceId).toMatch(/^[0-9a-f]{32}$/);
});
