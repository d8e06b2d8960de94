import { randomUUID } from 'node:crypto';
import { names, Namespace, RunId, RunOrigin, SubmitRequest } from '@assay/contracts';
import { aManifest, digestOf, freshDatabase, type TestDatabase } from '@assay/testing';
import {
  claimWaitingRun,
  Database,
  findSubmission,
  freezeRun,
  getRun,
  insertSubmission,
  noteCommit,
  rescheduleWaiting,
  type RunRow,
  type SubmissionOutcome,
} from '../index';
import { requestDigest } from './find-submission';

let server: TestDatabase;
let database: Database;
const namespace = Namespace.parse('assay');

beforeAll(async () => {
  server = await freshDatabase();
  database = await Database.open({ url: server.url, namespace });
  await database.migrate();
});
afterAll(async () => {
  await database.close();
  await server.drop();
});
beforeEach(() => database.query('truncate runs, instances, events, outbox, publications cascade'));

const request = SubmitRequest.parse({
  suite: 'demo',
  evaluated: { ref: 'v1.0.0' },
  model: 'none',
  trigger: 'release',
  release: { repository: 'owner/name', id: 7, tag: 'v1.0.0' },
});

interface Given {
  readonly key?: string;
  readonly repository?: string;
  readonly origin?: RunOrigin;
}

function submit({
  key = randomUUID(),
  repository = '42',
  origin = anOrigin(),
}: Given = {}): Promise<SubmissionOutcome> {
  const runId = RunId.parse(randomUUID());
  return insertSubmission(database, { runId, repository, idempotencyKey: key, request, origin, traceparent: null });
}

async function submitted(given: Given = {}): Promise<RunRow> {
  const outcome = await submit(given);
  if (outcome.answer !== 'accepted') throw new Error('the release was refused');
  return outcome.run;
}

function freeze(runId: RunId, manifest = aManifest({ instances: ['a'] })): Promise<boolean> {
  const manifestDigest = digestOf('manifest');
  const freezing = { runId, manifest, manifestDigest, names: names(namespace), traceparentOf: () => null };
  return database.transaction((sql) => freezeRun(sql, freezing));
}

function anOrigin(over: Record<string, unknown> = {}, plan: Record<string, unknown> = {}): RunOrigin {
  return RunOrigin.parse({
    schemaVersion: 'assay.origin/1',
    request: {
      schemaVersion: 'assay.release-request/1',
      event: 'release',
      repository: 'owner/name',
      releaseTag: 'v1.0.0',
      ...over,
    },
    rule: 'stable',
    plan: {
      suite: 'demo',
      limit: null,
      instanceId: null,
      chain: [],
      evaluatedRef: 'v1.0.0',
      packageVersion: '1.0.0',
      publication: 'prerelease',
      ...plan,
    },
    release: { id: 7, tag: 'v1.0.0', prerelease: false, draft: false, bodyDigest: digestOf('notes') },
    principal: { kind: 'deployment' },
    package: { registry: 'none', name: 'agent' },
    expectedInstances: 8,
    chainInstances: [],
  });
}

describe('a release that was handed in', () => {
  const origin = anOrigin();

  test('keeps where it came from, and is known again by the body that was received', async () => {
    const run = await submitted({ key: 'k', repository: '42', origin });
    expect((await getRun(database, run.id))?.origin).toEqual(origin);
    expect(run.requestDigest).toBe(requestDigest(origin.request));
    const same = await findSubmission(database, { repository: '42', idempotencyKey: 'k', received: origin.request });
    expect(same).toMatchObject({ answer: 'accepted', deduplicated: true, run: { id: run.id } });
    const other = anOrigin({ limit: 5 });
    expect(await submit({ key: 'k', repository: '42', origin: other })).toMatchObject({ answer: 'conflict' });
  });

  test('is another run for another repository with the same key', async () => {
    const first = await submitted({ key: 'k', repository: '42', origin });
    const second = await submitted({ key: 'k', repository: '43', origin });
    expect(second.id).not.toBe(first.id);
  });

  test.each([
    ['off', 'NONE'],
    ['dry-run', 'PENDING'],
    ['prerelease', 'PENDING'],
    ['all', 'PENDING'],
  ])('with publication %s in its plan has the publication %s', async (publication, state) => {
    const { id } = await submitted({ origin: anOrigin({}, { publication }) });
    await freeze(id);
    expect(await getRun(database, id)).toMatchObject({ publicationState: state });
  });
});

describe('a release that waits', () => {
  test('measures the wait for a package from the first look in vain, whatever comes between', async () => {
    const { id } = await submitted();
    const put = (waitsFor: 'package' | 'other') =>
      rescheduleWaiting(database, { runId: id, lastError: 'x', delaySeconds: 0, waitsFor });
    await put('package');
    await database.query(`update runs set package_since = now() - interval '100 seconds'`);
    await put('other');
    await put('package');
    const wait = (await claimWaitingRun(database, { leaseSeconds: 1 }))?.packageWaitSeconds ?? 0;
    expect(wait).toBeGreaterThanOrEqual(100);
    expect(wait).toBeLessThan(160);
  });

  test('keeps the commit of its ref while it waits, and what was frozen from then on', async () => {
    const { id } = await submitted();
    await noteCommit(database, { runId: id, commit: 'b'.repeat(40) });
    expect(await getRun(database, id)).toMatchObject({ evaluatedCommit: 'b'.repeat(40), packageVersion: null });
    const manifest = aManifest({ instances: ['a'] });
    await freeze(id, manifest);
    const { commit: evaluatedCommit, packageVersion } = manifest.evaluated;
    expect(await getRun(database, id)).toMatchObject({ evaluatedCommit, packageVersion });
    await noteCommit(database, { runId: id, commit: 'd'.repeat(40) });
    expect(await getRun(database, id)).toMatchObject({ evaluatedCommit });
  });
});
