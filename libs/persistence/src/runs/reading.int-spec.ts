import { randomUUID } from 'node:crypto';
import { DEFAULT_TIMINGS, type InstanceId, InstanceView, Namespace, RunId, RunView } from '@assay/contracts';
import { aManifest, digestOf, freshDatabase, seedRun, type TestDatabase } from '@assay/testing';
import {
  Database,
  getRun,
  instanceView,
  InvalidCursor,
  listInstances,
  listRuns,
  type RunRow,
  runStateCounts,
  runView,
} from '../index';

let server: TestDatabase;
let database: Database;
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

beforeAll(async () => {
  server = await freshDatabase();
  database = await Database.open({ url: server.url, namespace: Namespace.parse('assay') });
  await database.migrate();
});
afterAll(async () => {
  await database.close();
  await server.drop();
});
beforeEach(() => database.query('truncate runs cascade'));

async function existing(runId: RunId): Promise<RunRow> {
  const run = await getRun(database, runId);
  if (run === null) throw new Error(`no run ${runId}`);
  return run;
}

describe('the list of runs', () => {
  const idsOf = async (
    limit: number,
    filter: { state?: 'QUEUED' | 'FAILED'; suite?: string } = {},
  ): Promise<string[][]> => {
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const page = await listRuns(database, { limit, cursor, repository: null, ...filter });
      pages.push(page.runs.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    return pages;
  };

  test('goes from new to old in pages, each run once', async () => {
    for (const runId of ['r1', 'r2', 'r3', 'r4', 'r5']) await seedRun(database, { runId });
    expect(await idsOf(2)).toEqual([['r5', 'r4'], ['r3', 'r2'], ['r1']]);
    expect(await idsOf(5)).toEqual([['r5', 'r4', 'r3', 'r2', 'r1']]);
  });

  test('keeps its order where runs were made in the same microsecond', async () => {
    for (const runId of ['r1', 'r2', 'r3', 'r4']) await seedRun(database, { runId });
    await database.query("update runs set created_at = '2026-01-01 00:00:00.123456+02'");
    expect(await idsOf(1)).toEqual([['r4'], ['r3'], ['r2'], ['r1']]);
  });

  test('shifts no page when a run comes in between', async () => {
    for (const runId of ['r1', 'r2', 'r3']) await seedRun(database, { runId });
    const first = await listRuns(database, { limit: 2, repository: null, cursor: null });
    await seedRun(database, { runId: 'r4' });
    const second = await listRuns(database, { limit: 2, repository: null, cursor: first.nextCursor });
    expect(second.runs.map(({ id }) => id)).toEqual(['r1']);
    expect(second.nextCursor).toBeNull();
  });

  test('can be asked for one state or suite', async () => {
    await seedRun(database, { runId: 'r1', manifest: aManifest({ suite: { name: 'other' } }) });
    await seedRun(database, { runId: 'r2' });
    await database.query("update runs set state = 'FAILED' where id = 'r2'");
    expect(await idsOf(9, { state: 'FAILED' })).toEqual([['r2']]);
    expect(await idsOf(9, { suite: 'other' })).toEqual([['r1']]);
    expect(await idsOf(9, { suite: 'other', state: 'FAILED' })).toEqual([[]]);
  });

  test.each([
    '',
    'x',
    Buffer.from('["yesterday","r1"]').toString('base64url'),
    Buffer.from('[1').toString('base64url'),
  ])('refuses a cursor that it did not give (%j)', async (cursor) => {
    await expect(listRuns(database, { limit: 2, repository: null, cursor })).rejects.toThrow(InvalidCursor);
  });
});

test('there is no run of an unknown id', async () => {
  const unknown = RunId.parse('nobody');
  expect(await getRun(database, unknown)).toBeNull();
  expect(await listInstances(database, { runId: unknown })).toEqual([]);
  expect(await runStateCounts(database, [unknown])).toEqual(new Map([[unknown, {}]]));
});

describe("a run's view", () => {
  const clock = { now: new Date(), timings: DEFAULT_TIMINGS };

  test('fits the API, with the states of its instances and the counts derived from them', async () => {
    const release = { repository: 'owner/name', id: 7, tag: 'v1' };
    const manifest = aManifest({ instances: ['a', 'b', 'c', 'd', 'e', 'f'] });
    const runId = await seedRun(database, { manifest, release, traceparent });
    for (const [id, state] of [
      ['a', 'RESOLVED'],
      ['b', 'UNRESOLVED'],
      ['c', 'EXECUTION_ERROR'],
      ['d', 'INFRA_FAILED'],
      ['e', 'CANCELLED'],
    ]) {
      await database.query('update instances set state = $2 where instance_id = $1', [id, state]);
    }
    const states = (await runStateCounts(database, [runId])).get(runId) ?? {};
    const view = runView(await existing(runId), states, clock);
    expect(RunView.parse(view)).toEqual(view);
    expect(view).toMatchObject({
      runId,
      agent: 'nop',
      release,
      states: { RESOLVED: 1, UNRESOLVED: 1, EXECUTION_ERROR: 1, INFRA_FAILED: 1, CANCELLED: 1, QUEUED: 1 },
      counts: { total: 6, resolved: 1, unresolved: 1, executionError: 1, infraFailed: 1, cancelled: 1 },
      traceId: '1'.repeat(32),
      stalled: false,
    });
  });

  describe('is stalled', () => {
    const build = digestOf('build');
    let runId: RunId;
    beforeEach(async () => {
      await database.query('truncate workers');
      runId = await seedRun(database, { manifest: aManifest({ instances: ['i-1', 'i-2'], buildDigest: build }) });
      await database.query("update runs set queued_at = now() - interval '1 hour'");
      await work('trial', 'i-1');
    });

    const work = (kind: string, instanceId: string) =>
      database.query('insert into work_items (kind, run_id, instance_id) values ($1, $2, $3)', [
        kind,
        runId,
        instanceId,
      ]);
    const worker = (id: string, { kind = 'trial', minutesAgo = 0, buildDigest = build } = {}) =>
      database.query(
        `insert into workers (id, kind, slots, build_digest, last_seen_at)
         values ($1, $2, 1, $3, now() - $4 * interval '1 minute')`,
        [id, kind, buildDigest, minutesAgo],
      );
    const stalled = async (): Promise<boolean> => runView(await existing(runId), {}, clock).stalled;

    test('when no worker was seen for ten minutes', async () => {
      expect(await stalled()).toBe(true);
      await worker('late', { minutesAgo: 11 });
      expect(await stalled()).toBe(true);
      await worker('w', { minutesAgo: 9 });
      expect(await stalled()).toBe(false);
    });

    test('but not in its first ten minutes, nor that long after it was served', async () => {
      await database.query("update runs set last_served_at = now() - interval '9 minutes'");
      expect(await stalled()).toBe(false);
      await database.query("update runs set last_served_at = null, queued_at = now() - interval '9 minutes'");
      expect(await stalled()).toBe(false);
    });

    test('when all the workers there are have another build, unless any build may serve it', async () => {
      await worker('w', { buildDigest: digestOf('another build') });
      expect(await stalled()).toBe(true);
      await database.query(`update runs set manifest = manifest || '{"buildDigest": null}'`);
      expect(await stalled()).toBe(false);
    });

    test('when one kind of its open work has no worker, though another has', async () => {
      await worker('w');
      await work('grade', 'i-2');
      expect(await stalled()).toBe(true);
      await worker('g', { kind: 'grade' });
      expect(await stalled()).toBe(false);
      await database.query("delete from workers where kind = 'grade'");
      await database.query("update work_items set state = 'DONE' where kind = 'grade'");
      expect(await stalled()).toBe(false);
    });

    test('but never while it is paused, or once it is over', async () => {
      await database.query('update runs set paused = true');
      expect(await stalled()).toBe(false);
      await database.query("update runs set paused = false, state = 'QUARANTINED'");
      expect(await stalled()).toBe(false);
    });
  });
});

describe("an instance's view", () => {
  interface Try {
    readonly number: number;
    readonly state: string;
    readonly failure?: unknown;
  }

  async function trial(runId: RunId, { number, state, failure = null }: Try): Promise<string> {
    const id = randomUUID();
    await database.query(
      `insert into attempts (id, run_id, instance_id, sample, number, epoch, claim_id, worker, build_digest, state, failure,
         granted_at)
       values ($1, $2, 'i-1', 0, $3, $3, gen_random_uuid(), 'w' || $3::int, $4, $5, $6, now() + $3 * interval '1 second')`,
      [id, runId, number, digestOf('build'), state, failure === null ? null : JSON.stringify(failure)],
    );
    return id;
  }

  test('has all its tries, trials and grades in order, each with its artifacts, and fits the API', async () => {
    const runId = await seedRun(database, { traceparent, manifest: aManifest({ instances: ['i-1', 'i-2'] }) });
    const failure = { blame: 'infra', code: 'disk_full', message: 'no space', phase: 'prepare', details: {} };
    await trial(runId, { number: 1, state: 'FAILED', failure });
    const attempt = await trial(runId, { number: 2, state: 'COMPLETED' });
    const grade = randomUUID();
    await database.query(
      `insert into grades (id, attempt_id, run_id, instance_id, sample, number, epoch, claim_id, worker, build_digest, state,
         grader_version, granted_at, started_at)
       values ($1, $2, $3, 'i-1', 0, 1, 1, gen_random_uuid(), 'g1', 'x', 'STARTED', 'harbor/1', now() + interval '1 hour',
         now() + interval '1 hour')`,
      [grade, attempt, runId],
    );
    await database.query(
      `insert into artifacts (run_id, instance_id, sample, attempt_id, grade_id, name, digest, size, media_type) values
         ($1, 'i-1', 0, $2, null, 'patch', $4, 3000000000, 'text/x-diff'),
         ($1, 'i-1', 0, $2, null, 'trajectory', $4, 2, 'application/json'),
         ($1, 'i-1', 0, $2, $3, 'grade_log', $4, 3, 'text/plain')`,
      [runId, attempt, grade, digestOf('blob')],
    );
    await database.query(
      `insert into work_items (kind, run_id, instance_id, state, worker, lease_until) values
         ('trial', $1, 'i-1', 'DONE', 'w2', null), ('grade', $1, 'i-1', 'OPEN', 'g1', now() + interval '90 seconds')`,
      [runId],
    );
    await database.query(
      `update instances set state = 'GRADING', attempts = 2, reached_limit = 'time', suspicions = '["odd"]',
         next_try_at = now() where instance_id = 'i-1'`,
    );

    const [instance, other] = await listInstances(database, { runId });
    const view = instanceView(instance!);
    expect(InstanceView.parse(view)).toEqual(view);
    expect(view).toMatchObject({
      instanceId: 'i-1',
      state: 'GRADING',
      attempts: 2,
      worker: 'g1',
      limit: 'time',
      suspicions: ['odd'],
      traceId: '1'.repeat(32),
    });
    expect(view.history.map(({ kind, number, state, worker }) => [kind, number, state, worker])).toEqual([
      ['trial', 1, 'FAILED', 'w1'],
      ['trial', 2, 'COMPLETED', 'w2'],
      ['grade', 1, 'STARTED', 'g1'],
    ]);
    expect(view.history.map(({ artifacts }) => artifacts.map(({ name }) => name))).toEqual([
      [],
      ['patch', 'trajectory'],
      ['grade_log'],
    ]);
    expect(view.history[0]?.failure).toEqual(failure);
    expect(view.history[1]?.artifacts[0]?.size).toBe(3_000_000_000);
    expect(instanceView(other!)).toMatchObject({ instanceId: 'i-2', worker: null, history: [], limit: null });
  });

  test('can be asked for alone', async () => {
    const runId = await seedRun(database, { manifest: aManifest({ instances: ['i-1', 'i-2'] }) });
    await trial(runId, { number: 1, state: 'LOST' });
    const [one, ...rest] = await listInstances(database, { runId, instanceId: 'i-1' as InstanceId });
    expect(one).toMatchObject({ instanceId: 'i-1', history: [{ kind: 'trial', state: 'LOST' }] });
    expect(rest).toEqual([]);
  });

  test("holds nothing of another run's instance of the same name", async () => {
    const mine = await seedRun(database);
    const other = await seedRun(database);
    await trial(other, { number: 1, state: 'LOST' });
    expect(await listInstances(database, { runId: mine })).toMatchObject([{ history: [] }]);
  });
});
