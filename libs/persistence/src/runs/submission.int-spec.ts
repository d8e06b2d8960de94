import { randomUUID } from 'node:crypto';
import { type Manifest, names, Namespace, RunId, SubmitRequest } from '@assay/contracts';
import { aManifest, digestOf, freshDatabase, type TestDatabase } from '@assay/testing';
import {
  claimWaitingRun,
  Database,
  failWaiting,
  freezeRun,
  getRun,
  insertSubmission,
  rescheduleWaiting,
  type FailedSuite,
  type RunRow,
  type Sql,
  type SubmissionOutcome,
} from '../index';

let server: TestDatabase;
let database: Database;
const namespace = Namespace.parse('assay');
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

beforeAll(async () => {
  server = await freshDatabase();
  database = await Database.open({ url: server.url, namespace });
  await database.migrate();
});
afterAll(async () => {
  await database.close();
  await server.drop();
});
beforeEach(() =>
  database.query(
    'truncate runs, instances, events, outbox, publications, work_items, attempts, grades, artifacts cascade',
  ),
);

const body = (over: Record<string, unknown> = {}): SubmitRequest =>
  SubmitRequest.parse({
    suite: 'demo',
    evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
    model: 'none',
    trigger: 'release',
    ...over,
  });
const release = { repository: 'owner/name', id: 7, tag: 'v1.0.0' };

interface Given {
  readonly key?: string;
  readonly repository?: string;
  readonly request?: SubmitRequest;
  readonly sql?: Sql;
}

function submit({ key = randomUUID(), repository = '', request = body(), sql = database }: Given = {}) {
  const runId = RunId.parse(randomUUID());
  return insertSubmission(sql, { runId, repository, idempotencyKey: key, request, origin: null, traceparent });
}

function fail(runId: RunId, message: string, suite: FailedSuite | null = null): Promise<boolean> {
  const failing = { runId, failure: { code: 'ref_gone', message }, suite, names: names(namespace) };
  return database.transaction((sql) => failWaiting(sql, failing));
}

async function submitted(given: Given = {}): Promise<RunRow> {
  const outcome = await submit(given);
  if (outcome.answer !== 'accepted') throw new Error('the submission was refused');
  return outcome.run;
}

describe('a submission', () => {
  test('becomes a WAITING run that is due at once, with its request as it was', async () => {
    const request = body({ release, limit: 3 });
    const run = await submitted({ key: 'k', repository: 'owner/name', request });
    expect(run).toMatchObject({
      state: 'WAITING',
      publicationState: 'NONE',
      repository: 'owner/name',
      idempotencyKey: 'k',
      suite: 'demo',
      request,
      manifestDigest: null,
      agent: null,
      traceparent,
      pollTries: 0,
      finishedAt: null,
    });
    expect(await getRun(database, run.id)).toEqual(run);
    expect(await database.query('select run_id, type from events')).toEqual([
      { run_id: run.id, type: 'run.submitted' },
    ]);
  });

  test('of the same key and body is the same run, however often it comes and whatever its state', async () => {
    const first = await submitted({ key: 'k' });
    await fail(first.id, 'gone');
    for (let again = 0; again < 3; again++) {
      expect(await submit({ key: 'k' })).toMatchObject({
        answer: 'accepted',
        deduplicated: true,
        run: { id: first.id, state: 'FAILED' },
      });
    }
    expect(await database.query('select id from runs')).toHaveLength(1);
    expect(await database.query("select id from events where type = 'run.submitted'")).toHaveLength(1);
  });

  test('of the same body with its keys in another order is still the same', async () => {
    await submitted({ key: 'k', request: body({ limit: 2 }) });
    const turned = Object.fromEntries(Object.entries(body({ limit: 2 })).reverse()) as unknown as SubmitRequest;
    expect(await submit({ key: 'k', request: turned })).toMatchObject({ deduplicated: true });
  });

  test('of the same key with another body is a conflict, and changes nothing', async () => {
    const first = await submitted({ key: 'k' });
    const other = await submit({ key: 'k', request: body({ model: 'another' }) });
    expect(other).toEqual({ answer: 'conflict', run: first });
    expect(await database.query('select id from runs')).toHaveLength(1);
  });

  test('of the same key in another repository is another run', async () => {
    const one = await submitted({ key: 'k', repository: 'a/b' });
    const two = await submitted({ key: 'k', repository: 'a/c' });
    expect(one.id).not.toBe(two.id);
  });

  test('that comes ten times at the same moment is one run, and nine know it', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => database.transaction((sql) => submit({ key: 'k', sql }))),
    );
    const accepted = outcomes.filter(
      (outcome): outcome is SubmissionOutcome & { answer: 'accepted' } => outcome.answer === 'accepted',
    );
    expect(new Set(accepted.map(({ run }) => run.id)).size).toBe(1);
    expect(accepted.filter(({ deduplicated }) => deduplicated)).toHaveLength(9);
  });
});

describe('the poller', () => {
  test('takes the run that is due longest, and nobody else gets it for the time of the lease', async () => {
    const first = await submitted();
    const second = await submitted();
    const taken = [
      await claimWaitingRun(database, { leaseSeconds: 60 }),
      await claimWaitingRun(database, { leaseSeconds: 60 }),
      await claimWaitingRun(database, { leaseSeconds: 60 }),
    ];
    expect(taken.map((run) => run?.id)).toEqual([first.id, second.id, undefined]);
  });

  test('that died gives its run up when the lease lapses', async () => {
    const run = await submitted();
    await claimWaitingRun(database, { leaseSeconds: 0 });
    expect((await claimWaitingRun(database, { leaseSeconds: 60 }))?.id).toBe(run.id);
  });

  test('never hands one run to two of many pollers', async () => {
    for (let n = 0; n < 5; n++) await submitted();
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => database.transaction((sql) => claimWaitingRun(sql, { leaseSeconds: 60 }))),
    );
    const ids = taken.filter((run) => run !== null).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(5);
  });

  test('puts a run off with the reason, and takes it again when that time has come', async () => {
    const { id } = await submitted();
    const lastError = 'package 1.0.0 is not published yet';
    expect(await rescheduleWaiting(database, { runId: id, lastError, delaySeconds: 3600, waitsFor: 'other' })).toBe(
      true,
    );
    expect(await claimWaitingRun(database, { leaseSeconds: 1 })).toBeNull();
    expect(await getRun(database, id)).toMatchObject({ state: 'WAITING', lastError, pollTries: 1 });
    await rescheduleWaiting(database, { runId: id, lastError, delaySeconds: 0, waitsFor: 'other' });
    expect(await claimWaitingRun(database, { leaseSeconds: 1 })).toMatchObject({
      id,
      pollTries: 2,
      packageWaitSeconds: null,
    });
  });

  test('fails a run that can never be measured, for good and with the reason', async () => {
    const { id } = await submitted();
    expect(await fail(id, 'no such tag')).toBe(true);
    expect(await getRun(database, id)).toMatchObject({
      state: 'FAILED',
      lastError: 'no such tag',
      failure: { code: 'ref_gone', message: 'no such tag' },
      finishedAt: expect.any(Date) as Date,
    });
    expect(await fail(id, 'again')).toBe(false);
    expect(await rescheduleWaiting(database, { runId: id, lastError: 'x', delaySeconds: 0, waitsFor: 'other' })).toBe(
      false,
    );
    expect(await claimWaitingRun(database, { leaseSeconds: 1 })).toBeNull();
    expect(await database.query("select data from events where type = 'run.failed'")).toEqual([
      { data: { code: 'ref_gone', error: 'no such tag' } },
    ]);
  });
});

describe('freezing', () => {
  const manifestDigest = digestOf('manifest');
  const freeze = (sql: Sql, runId: RunId, manifest: Manifest = aManifest({ instances: ['b', 'a', 'c'] })) =>
    freezeRun(sql, {
      runId,
      manifest,
      manifestDigest,
      names: names(namespace),
      traceparentOf: (id) => (id === 'a' ? traceparent : null),
    });

  test('makes a run QUEUED with its manifest, instances, event and message', async () => {
    const { id } = await submitted();
    expect(await database.transaction((sql) => freeze(sql, id))).toBe(true);
    expect(await getRun(database, id)).toMatchObject({
      state: 'QUEUED',
      publicationState: 'NONE',
      manifestDigest,
      agent: 'nop',
      nextAt: null,
      queuedAt: expect.any(Date) as Date,
    });
    expect(
      await database.query('select instance_id, sample, position, state, traceparent from instances order by position'),
    ).toEqual([
      { instance_id: 'a', sample: 0, position: 0, state: 'QUEUED', traceparent },
      { instance_id: 'b', sample: 0, position: 1, state: 'QUEUED', traceparent: null },
      { instance_id: 'c', sample: 0, position: 2, state: 'QUEUED', traceparent: null },
    ]);
    expect(await database.query('select topic, subject, payload, run_id, traceparent, sent_at from outbox')).toEqual([
      {
        topic: 'run.submitted',
        subject: names(namespace).runSubmitted(id),
        payload: { runId: id },
        run_id: id,
        traceparent,
        sent_at: null,
      },
    ]);
    expect(await database.query("select data from events where type = 'run.frozen'")).toEqual([
      { data: { manifestDigest, instances: 3 } },
    ]);
    expect(await database.query('select manifest from runs')).toEqual([
      { manifest: JSON.parse(JSON.stringify(aManifest({ instances: ['a', 'b', 'c'] }))) as unknown },
    ]);
  });

  test('twice is freezing once: the second changes nothing', async () => {
    const { id } = await submitted();
    expect(await database.transaction((sql) => freeze(sql, id))).toBe(true);
    expect(await database.transaction((sql) => freeze(sql, id, aManifest({ instances: ['z'] })))).toBe(false);
    expect(await database.query('select instance_id from instances order by 1')).toHaveLength(3);
    expect(await database.query('select id from outbox')).toHaveLength(1);
  });

  test('is all or nothing: a failure in its transaction leaves the run WAITING and nothing behind', async () => {
    const { id } = await submitted();
    await expect(
      database.transaction(async (sql) => {
        await freeze(sql, id);
        throw new Error('crash before commit');
      }),
    ).rejects.toThrow('crash before commit');
    expect(await getRun(database, id)).toMatchObject({ state: 'WAITING', manifestDigest: null });
    for (const table of ['instances', 'outbox', 'publications']) {
      expect(await database.query(`select * from ${table}`)).toEqual([]);
    }
  });

  test('does nothing to a run that has failed meanwhile', async () => {
    const { id } = await submitted();
    await fail(id, 'x');
    expect(await database.transaction((sql) => freeze(sql, id))).toBe(false);
    expect(await getRun(database, id)).toMatchObject({ state: 'FAILED', manifestDigest: null });
  });

  test('opens a publication where the run has a release and its suite publishes', async () => {
    const { id } = await submitted({ request: body({ release }) });
    await database.transaction((sql) => freeze(sql, id));
    expect(await database.query('select run_id, repository, release_id, tag, suite, state from publications')).toEqual([
      { run_id: id, repository: 'owner/name', release_id: '7', tag: 'v1.0.0', suite: 'demo', state: 'PENDING' },
    ]);
    expect(await getRun(database, id)).toMatchObject({ publicationState: 'PENDING' });
  });

  test('opens none without a release, and none for a suite that publishes nothing', async () => {
    const without = await submitted();
    const silent = await submitted({ request: body({ release }) });
    await database.transaction((sql) => freeze(sql, without.id));
    await database.transaction((sql) => freeze(sql, silent.id, aManifest({ suite: { publish: 'none' } })));
    expect(await database.query('select run_id from publications')).toEqual([]);
    expect(await getRun(database, silent.id)).toMatchObject({ publicationState: 'NONE' });
  });
});
