import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorReply, type InstanceId, Receipt, RunId, SkippedReceipt } from '@assay/contracts';
import { getRun } from '@assay/persistence';
import type { RunningService } from '@assay/service-kit';
import { clearedAway, reached, runOf, surroundings, type Surroundings } from '../harness/test-dispatcher';
import {
  aRequest,
  COMMIT,
  handIn,
  PACKAGE,
  published,
  receiptFor,
  releaseBench,
  type ReleaseBench,
  releaseClaims,
  REPOSITORY,
  startBenched,
  stopBench,
} from './harness/release-bench';

let around: Surroundings;
let bench: ReleaseBench;
let service: RunningService;
let id: number;

beforeAll(async () => {
  around = await surroundings();
  bench = await releaseBench(around);
  service = await startBenched(bench);
  id = await published(bench, 'v1.0.0', { body: 'Notes' });
  await published(bench, 'v1.0.1');
  await published(bench, 'v1.0.1-rc.1', { prerelease: true });
  await published(bench, 'smoke-1', { prerelease: true, body: 'Evaluates: v1.0.0\nEvaluates: v9.9.9' });
  await published(bench, 'ghost-v1', { prerelease: true, body: 'Evaluates: v1.0.0' });
  bench.npm.publish(PACKAGE, '1.0.0');
});
afterEach(() => {
  bench.github.clearFaults();
});
afterAll(async () => {
  expect(bench.github.problems).toEqual([]);
  await stopBench(bench);
  await clearedAway(around);
});

const workflow = (tag: string, claims: Record<string, unknown> = {}) =>
  bench.issuer.token({ ...releaseClaims(tag), ...claims });
const released = (tag: string) => aRequest(tag, { event: 'release' });

async function runs(): Promise<number> {
  const [row] = await around.database.query<{ n: number }>('select count(*)::int as n from runs');
  return row?.n ?? -1;
}

describe('a release that the policy takes', () => {
  test('is answered at once with a receipt, and frozen when its commit and package are there', async () => {
    const { status, headers, body } = await handIn(service, released('v1.0.0'), { token: workflow('v1.0.0') });
    expect(status).toBe(202);
    const receipt = Receipt.parse(body);
    expect(receipt).toEqual({
      ...{ schemaVersion: 'assay.receipt/1', status: 'WAITING', runId: receipt.runId },
      ...{ runUrl: `/v1/runs/${receipt.runId}`, deduplicated: false, releaseTag: 'v1.0.0', evaluatedRef: 'v1.0.0' },
      ...{ commit: null, suite: 'demo', rule: 'stable', expectedInstances: null, chain: [] },
    });
    expect(headers.get('location')).toBe(receipt.runUrl);
    expect(await reached(service, receipt.runId, 'QUEUED')).toMatchObject({
      evaluated: { ref: 'v1.0.0', commit: COMMIT, packageVersion: '1.0.0' },
      release: { repository: REPOSITORY, id, tag: 'v1.0.0' },
      trigger: 'release',
      model: 'qwen3.7-max',
      publicationState: 'PENDING',
    });
  });

  test('keeps where it came from: request, rule, plan, release and caller, frozen', async () => {
    const request = { ...released('v1.0.0'), githubRunUrl: 'https://example.org/runs/1', limit: 3 };
    const { runId } = await receiptFor(service, request, { token: workflow('v1.0.0', { actor: 'ada' }) });
    expect((await getRun(around.database, runId))?.origin).toMatchObject({
      request,
      rule: 'stable',
      // What a person may choose has no say in a release.
      plan: { suite: 'demo', limit: null, chain: [], publication: 'prerelease', packageVersion: '1.0.0' },
      release: {
        id,
        tag: 'v1.0.0',
        prerelease: false,
        draft: false,
        bodyDigest: expect.stringMatching(/^\w{64}$/) as string,
      },
      principal: { kind: 'workflow', repository: REPOSITORY, repositoryId: '9001', sha: COMMIT, actor: 'ada' },
      package: { registry: 'npm', name: PACKAGE },
    });
  });

  test('may evaluate another ref on a prerelease: both are kept apart, and what follows is told', async () => {
    const receipt = await receiptFor(service, released('smoke-1'), { token: workflow('smoke-1') });
    expect(receipt).toMatchObject({
      ...{ releaseTag: 'smoke-1', evaluatedRef: 'v1.0.0', rule: 'smoke', expectedInstances: 1 },
      chain: [{ suite: 'python-demo', status: 'PENDING', expectedInstances: null }],
    });
    expect(await reached(service, receipt.runId, 'QUEUED')).toMatchObject({
      release: { tag: 'smoke-1' },
      evaluated: { ref: 'v1.0.0', commit: COMMIT, packageVersion: '1.0.0' },
      counts: { total: 1 },
    });
  });

  test('by hand takes what was asked for, with the model of the body', async () => {
    const body = aRequest('v1.0.0', { limit: 5, model: 'm', maxAttempts: 2, backoffSeconds: 7, releaseId: id });
    const receipt = await receiptFor(service, body);
    expect(receipt).toMatchObject({ rule: 'by-hand', expectedInstances: 5 });
    await reached(service, receipt.runId, 'QUEUED');
    const run = await getRun(around.database, receipt.runId);
    expect(run?.request).toMatchObject({ model: 'm', limit: 5, maxAttempts: 2, backoffSeconds: 7, trigger: 'manual' });
    expect(run?.origin?.principal).toEqual({ kind: 'deployment' });
  });

  test('and asks for an instance that its suite does not have, is refused at once, naming the field', async () => {
    const before = await runs();
    const { status, body } = await handIn(service, aRequest('v1.0.0', { limit: 1, instanceId: 'nope' as InstanceId }));
    expect(status).toBe(422);
    expect(ErrorReply.parse(body).errors).toMatchObject([
      {
        field: 'instanceId',
        value: 'nope',
        expected: expect.stringMatching(/^expected an instance of demo: /) as string,
      },
    ]);
    expect(await runs()).toBe(before);
  });
});

describe('a release that the policy leaves alone is answered with the reason, and leaves nothing behind', () => {
  test.each([
    ['a patch release', 'v1.0.1', null, 'no rule of acme/agent takes the stable release "v1.0.1"'],
    ['a foreign family', 'v1.0.1-rc.1', null, 'no rule of acme/agent takes the prerelease "v1.0.1-rc.1"'],
  ])('%s', async (_, tag, rule, reason) => {
    const before = await runs();
    const { status, body } = await handIn(service, released(tag), { token: workflow(tag) });
    expect(status).toBe(200);
    expect(SkippedReceipt.parse(body)).toEqual({ schemaVersion: 'assay.receipt/1', status: 'SKIPPED', rule, reason });
    expect(await runs()).toBe(before);
    expect(around.logs.some((line) => line.includes('release skipped') && line.includes(tag))).toBe(true);
  });

  test('a limit that is not offered', async () => {
    const { status, body } = await handIn(service, aRequest('v1.0.0', { limit: 3 }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'SKIPPED', rule: 'by-hand', reason: 'limit: expected 1 or 5 or 8, got 3' });
  });

  test('a repository that the policy does not name', async () => {
    const elsewhere = { ...aRequest('v1.0.0'), repository: 'acme/other' };
    expect((await handIn(service, elsewhere)).status).toBe(422);
  });
});

describe('handing in twice is handing in once', () => {
  test('six times at the same time', async () => {
    const key = randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => handIn(service, released('v1.0.0'), { key, token: workflow('v1.0.0') })),
    );
    const receipts = replies.map(({ body }) => Receipt.parse(body));
    expect(new Set(receipts.map(({ runId }) => runId)).size).toBe(1);
    expect(receipts.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
  });

  test('also when GitHub is down by then; the receipt tells what is known by then', async () => {
    const key = randomUUID();
    const { runId } = await receiptFor(service, aRequest('v1.0.0'), { key });
    await reached(service, runId, 'QUEUED');
    bench.github.fault({ kind: 'answer', status: 503, body: { message: 'down' }, times: 99 });
    expect(await receiptFor(service, aRequest('v1.0.0'), { key })).toMatchObject({
      ...{ runId, deduplicated: true, status: 'QUEUED', commit: COMMIT, expectedInstances: 8 },
    });
  });

  test('by a workflow and by hand: keys go by the repository, not by the caller', async () => {
    const key = randomUUID();
    const body = aRequest('v1.0.0');
    const { runId } = await receiptFor(service, body, { key });
    const shouted = { ...body, repository: 'ACME/Agent' };
    expect((await handIn(service, shouted, { key })).status).toBe(409);
    expect(await receiptFor(service, body, { key })).toMatchObject({ runId, deduplicated: true });
  });

  test('with another body is refused, naming the run', async () => {
    const key = randomUUID();
    const { runId } = await receiptFor(service, aRequest('v1.0.0'), { key });
    const { status, body } = await handIn(service, aRequest('v1.0.0', { limit: 5 }), { key });
    expect(status).toBe(409);
    expect(ErrorReply.parse(body).message).toContain(runId);
  });
});

describe('what is not the caller’s to hand in is refused', () => {
  test.each([
    ['another repository', { ...released('v1.0.0'), repository: 'acme/other' }, {}, /for releases of acme\/agent only/],
    ['another tag', released('v2.0.0'), {}, /runs on refs\/tags\/v1.0.0, not on refs\/tags\/v2.0.0/],
    ['another event', aRequest('v1.0.0', { event: 'workflow_dispatch' }), {}, /started by release, not by workflow/],
    ['a run by hand', aRequest('v1.0.0'), {}, /started by release, not by manual/],
  ])('by a workflow: %s', async (_, body, claims, message) => {
    const before = await runs();
    const reply = await handIn(service, body, { token: workflow('v1.0.0', claims) });
    expect(reply.status).toBe(403);
    expect(ErrorReply.parse(reply.body).message).toMatch(message);
    expect(await runs()).toBe(before);
  });

  test('by whoever holds a token: an event that nothing proves', async () => {
    const reply = await handIn(service, released('v1.0.0'));
    expect(reply.status).toBe(403);
    expect(ErrorReply.parse(reply.body).message).toBe(
      'only a workflow can say that it was started by release: expected manual',
    );
  });
});

describe('a release that cannot be taken', () => {
  test('because there is none of this tag is refused, naming the tag', async () => {
    const { status, body } = await handIn(service, aRequest('v7.0.0'));
    expect(status).toBe(422);
    expect(ErrorReply.parse(body)).toMatchObject({
      message: `${REPOSITORY} has no published release with the tag v7.0.0`,
      errors: [{ field: 'releaseTag', value: 'v7.0.0' }],
    });
  });

  test('because its id is another one than the caller holds it for is refused', async () => {
    const { status, body } = await handIn(service, aRequest('v1.0.0', { releaseId: id + 1 }));
    expect(status).toBe(422);
    expect(ErrorReply.parse(body).errors).toMatchObject([{ field: 'releaseId', expected: `expected ${id}, or none` }]);
  });

  test.each([
    [{ kind: 'answer', status: 503, body: { message: 'down' } }, '30'],
    [{ kind: 'answer', status: 429, headers: { 'retry-after': '17' }, body: { message: 'slow' } }, '17'],
    [{ kind: 'cut' }, '30'],
  ] as const)('because GitHub is away (%j) is to be handed in again', async (fault, after) => {
    const key = randomUUID();
    // The look of a hand-in, not that of a poller at a run of an earlier test.
    bench.github.fault({ ...fault, path: '/releases/tags/' });
    const { status, headers } = await handIn(service, aRequest('v1.0.0'), { key });
    expect([status, headers.get('retry-after')]).toEqual([503, after]);
    expect(await receiptFor(service, aRequest('v1.0.0'), { key })).toMatchObject({ deduplicated: false });
  });

  test('because the rule names a suite that is broken, or gone since the start, is refused before it is stored', async () => {
    const file = join(bench.env['ASSAY_SUITES_DIR'] ?? '', 'ghost.yaml');
    const refused = async () => {
      const { status, body } = await handIn(service, released('ghost-v1'), { token: workflow('ghost-v1') });
      const { message, errors } = ErrorReply.parse(body);
      return [status, errors[0]?.field, message.split(' ')[0]];
    };
    expect(await refused()).toEqual([422, 'suite', file]);
    await rename(file, `${file}.gone`);
    expect(await refused()).toEqual([422, 'suite', 'Unknown']);
    await rename(`${file}.gone`, file);
  });

  test.each([
    ['no key', undefined, 400],
    ['a key with a space', 'a b', 400],
  ])('because it has %s is refused', async (_, key, wanted) => {
    const reply = await handIn(service, aRequest('v1.0.0'), { key: key ?? '' });
    expect(reply.status).toBe(wanted);
  });

  test('is refused with everything that is wrong about it, unknown keys by name', async () => {
    const { status, body } = await handIn(service, { ...aRequest('-x'), prerelease: true, limit: 0 });
    expect(status).toBe(400);
    const fields = ErrorReply.parse(body).errors.map(({ field }) => field);
    expect(fields.sort()).toEqual(['limit', 'prerelease', 'releaseTag']);
  });

  test.each([
    ['a policy', 'ASSAY_POLICY_FILE', { ASSAY_POLICY_FILE: '', ASSAY_OIDC_AUDIENCE: '' }],
    ['a GitHub', 'GITHUB_API_URL', { GITHUB_API_URL: '' }],
  ])('because the deployment has no %s is answered with the variable that is missing', async (_, variable, env) => {
    const bare = await startBenched(bench, env);
    const { status, body } = await handIn(bare, aRequest('v1.0.0'));
    expect(status).toBe(503);
    expect(ErrorReply.parse(body).message).toContain(variable);
    await bare.stop();
  });
});

test('the route describes its answers', async () => {
  const api = (await (await fetch(`${service.url}/docs-json`)).json()) as {
    paths: Record<string, { post: { responses: object } }>;
  };
  expect(Object.keys(api.paths['/v1/releases']?.post.responses ?? {}).sort()).toEqual(['200', '202', '503', 'default']);
});

test('a run of a release shows what is not known yet as null', async () => {
  bench.github.fault({ kind: 'answer', path: '/git/ref/', status: 502, body: { message: 'no' }, times: 3 });
  const { runId } = await receiptFor(service, aRequest('v1.0.0'));
  expect((await runOf(service, RunId.parse(runId))).evaluated).toMatchObject({ ref: 'v1.0.0', packageVersion: null });
  await reached(service, runId, 'QUEUED');
});
