import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Manifest, PredictionSetReply, SuiteInstances } from '@assay/contracts';
import {
  aSubmission,
  call,
  clearedAway,
  NAMESPACE,
  reached,
  startDispatcher,
  submit,
  surroundings,
  TOKEN,
  type Surroundings,
} from '../harness/test-dispatcher';

let around: Surroundings;
let api: { readonly url: string };
let known: readonly string[];
beforeAll(async () => {
  around = await surroundings();
  api = await startDispatcher(around);
  const { body } = await call(api, 'GET', '/v1/suites/demo/instances');
  known = SuiteInstances.parse(body).instances;
});
afterAll(() => clearedAway(around));

const line = (over: Record<string, unknown> = {}) =>
  JSON.stringify({
    instance_id: known[0],
    model_name_or_path: 'mine/7b',
    model_patch: 'diff --git a/x b/x\n',
    ...over,
  });

const handIn = (body: string, type = 'application/x-ndjson') =>
  call(api, 'POST', '/v1/predictions', { body, headers: { 'content-type': type } });

test('a suite tells its sorted instances; an unknown one is 404', async () => {
  expect(known).toEqual([...known].sort());
  expect(known).toHaveLength(8);
  expect(await call(api, 'GET', '/v1/suites/nothing/instances')).toMatchObject({
    status: 404,
    body: { message: expect.stringContaining('Unknown suite: nothing (known: ') as string },
  });
});

test('a set is stored as it came, and named by its digest; blank lines do not count', async () => {
  const body = `${line()}\n\n${line({ instance_id: known[1], model_patch: null })}\n`;
  const reply = await handIn(body);
  expect(reply.status).toBe(201);
  const digest = createHash('sha256').update(body).digest('hex');
  expect(PredictionSetReply.parse(reply.body)).toEqual({ digest, size: body.length, predictions: 2 });
  expect((await call(api, 'GET', `/v1/artifacts/${digest}`)).body).toBe(body);
});

test('every wrong line is named with field, value and expectation, and nothing is stored', async () => {
  const body = [line(), '{"instance_id"', line({ model_patch: 7, instance_id: known[1] }), line(), line({ x: 1 })].join(
    '\n',
  );
  const reply = await handIn(body);
  expect(reply).toMatchObject({
    status: 422,
    body: {
      errors: [
        {
          field: 'line 2',
          value: '{"instance_id"',
          expected: expect.stringContaining('expected a JSON object') as string,
        },
        { field: 'line 3: model_patch', value: 7 },
        { field: 'line 4: instance_id', value: known[0], expected: 'expected an instance once; line 1 has it too' },
        { field: 'line 5: x' },
      ],
    },
  });
  const digest = createHash('sha256').update(body).digest('hex');
  expect((await call(api, 'GET', `/v1/artifacts/${digest}`)).status).toBe(404);
});

test('an empty set, another media type and a call without token are refused', async () => {
  expect(await handIn('\n')).toMatchObject({ status: 422, body: { errors: [{ field: '(body)' }] } });
  expect(await handIn(line(), 'text/plain')).toMatchObject({
    status: 415,
    body: { errors: [{ field: 'content-type', value: 'text/plain', expected: 'expected application/x-ndjson' }] },
  });
  const headers = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${TOKEN}x` };
  expect(await call(api, 'POST', '/v1/predictions', { body: line(), headers })).toMatchObject({ status: 401 });
});

test('a run of a set is frozen with its patches, byte for byte, and without an agent', async () => {
  const patch = 'diff --git a/ü b/ü\r\n-\u2028\n';
  const handed = await handIn(
    `${line({ model_patch: patch, trajectory: '{"a":1}' })}\n${line({ instance_id: known[2], model_patch: ' ' })}`,
  );
  const { digest } = PredictionSetReply.parse(handed.body);
  const { runId } = await submit(api, { predictions: digest });
  await reached(api, runId, 'QUEUED');
  const [row] = await around.database.query<{ manifest: unknown }>('select manifest from runs where id = $1', [runId]);
  const manifest = Manifest.parse(row!.manifest);
  expect(manifest.agent).toMatchObject({ name: 'predictions', integrity: `sha256-${digest}` });
  expect(manifest.suite.publish).toBe('none');
  expect(manifest.instances.map(({ id }) => id)).toEqual([known[0], known[2]]);
  const [first, second] = manifest.instances.map(({ prediction }) => prediction!);
  expect(first).toMatchObject({ model: 'mine/7b', trajectory: { name: 'trajectory', size: 7 } });
  // White space alone is a patch.
  expect(second).toMatchObject({ patch: { size: 1 }, trajectory: null });
  const stored = join(around.dir, 'artifacts', NAMESPACE, first!.patch!.digest.slice(0, 2), first!.patch!.digest);
  expect(await readFile(stored, 'utf8')).toBe(patch);
});

test('a set that nobody handed in, and an id that the suite does not have, end the run with the reason', async () => {
  const { runId } = await submit(api, { predictions: 'f'.repeat(64) as never });
  expect((await reached(api, runId, 'FAILED')).lastError).toContain('there is no set of predictions ffff');
  const { digest } = PredictionSetReply.parse((await handIn(line({ instance_id: 'no__such-1' }))).body);
  const other = await submit(api, { predictions: digest });
  expect((await reached(api, other.runId, 'FAILED')).lastError).toContain('no__such-1');
});

test('beside a release, an agent, a limit or one instance it is refused by field', async () => {
  const body = {
    ...aSubmission({ predictions: 'f'.repeat(64) as never, agent: 'nop', limit: 1 }),
    instanceId: known[0],
    release: { repository: 'a/b', id: 1, tag: 'v1.0.0' },
  };
  const reply = await call(api, 'POST', '/v1/runs', { body, headers: { 'idempotency-key': 'k' } });
  const { errors } = reply.body as { errors: { field: string }[] };
  expect([reply.status, errors.map(({ field }) => field)]).toEqual([400, ['release', 'agent', 'limit', 'instanceId']]);
});
