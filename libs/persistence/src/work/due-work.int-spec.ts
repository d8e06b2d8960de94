import type { RunId, WorkKey, WorkKind } from '@assay/contracts';
import { aClaim, aManifest, completedTrial, digestOf, eventually, failedTrial, seedRun, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import {
  announceWorker,
  cancelRun,
  dueWork,
  enqueueRun,
  forgetPublished,
  markSent,
  notePublished,
  noteSent,
  noteStreams,
  relayWindows,
  takeUnsent,
} from '../index';

// Design section 3a, "message" (the relay's window) and the republishing half of "sweeper".

let bench: WorkBench;
let runId: RunId;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  await bench.reset();
  runId = await bench.submit({ manifest: aManifest({ instances: ['i-1', 'i-2', 'i-3'] }) });
});

const ALIVE_MS = 60_000;
const BUILD = digestOf('build');
const WAITING_FOR_A_LOCK = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const key = (instance: string) => workKey(runId, 'trial', instance);
const announce = (worker: string, slots: number, buildDigest = BUILD) => {
  const { worker: id, buildDigest: digest } = aClaim(key('i-1'), { worker, buildDigest });
  return announceWorker(bench.database, { worker: id, kind: 'trial', slots, buildDigest: digest });
};
const windowOf = async (kind: WorkKind) =>
  (await relayWindows(bench.database, ALIVE_MS)).find((window) => window.kind === kind);
const trialWindow = () => windowOf('trial');
const sent = (keys: readonly WorkKey[]) => noteSent(bench.database, keys);
/** As if the relay had sent everything. */
const sendAll = async () => {
  await bench.database.query('update outbox set sent_at = now()');
  await sent([key('i-1'), key('i-2'), key('i-3')]);
};
const due = async (quietMs = 0) =>
  (await dueWork(bench.database, 'trial', { quietMs, aliveMs: ALIVE_MS, limit: 10 })).map(
    ({ key: one }) => one.instanceId,
  );
const lines = async (build = ALIVE_MS) =>
  (await takeUnsent(bench.database, { topic: 'work.trial', limit: 10, workers: { kind: 'trial', aliveMs: build } }))
    .length;

describe('workers', () => {
  test('that announce themselves are counted once each, with the slots they said last', async () => {
    expect(await announce('w-1', 2)).toBe(true);
    expect(await announce('w-1', 3)).toBe(false);
    await announce('w-2', 4);
    expect(await trialWindow()).toMatchObject({ slots: 7 });
    expect(await windowOf('grade')).toMatchObject({ slots: 0 });
  });

  test('that were silent for too long do not count', async () => {
    await announce('w-1', 2);
    await bench.database.query("update workers set last_seen_at = now() - interval '2 minutes'");
    expect(await trialWindow()).toMatchObject({ slots: 0 });
  });
});

describe('the window', () => {
  test('counts a wake-up from its sending to its claim, and a lease from the claim to its end', async () => {
    expect(await trialWindow()).toMatchObject({ unleased: 0, leased: 0 });
    await sendAll();
    expect(await trialWindow()).toMatchObject({ unleased: 3, leased: 0 });
    const held = await bench.start(key('i-1'));
    expect(await trialWindow()).toMatchObject({ unleased: 2, leased: 1 });
    await bench.record(held, completedTrial());
    expect(await trialWindow()).toMatchObject({ unleased: 2, leased: 0 });
  });

  test('says whether there is anything to send by now', async () => {
    expect(await trialWindow()).toMatchObject({ unsent: true });
    expect(await windowOf('grade')).toMatchObject({ unsent: false });
    await bench.database.query("update outbox set available_at = now() + interval '1 minute'");
    expect(await trialWindow()).toMatchObject({ unsent: false });
  });

  test('does not count what waits to be tried again, and counts what was given back', async () => {
    await sendAll();
    await bench.record(await bench.start(key('i-1')), failedTrial());
    await bench.release(await bench.start(key('i-2')));
    expect(await trialWindow()).toMatchObject({ unleased: 2 });
  });

  test('is not taken up by runs that are paused or that no living worker may have', async () => {
    await sendAll();
    await bench.database.query('update runs set paused = true');
    expect(await trialWindow()).toMatchObject({ unleased: 0 });
    await bench.database.query('update runs set paused = false, build_digest = $1', [digestOf('older build')]);
    await announce('w-1', 1);
    expect(await trialWindow()).toMatchObject({ unleased: 0, slots: 1 });
  });

  test('a claim that is on its way is not waited for, nor overwritten', async () => {
    await bench.database.transaction(async (sql) => {
      await sql.query("select 1 from work_items where instance_id = 'i-1' for update");
      await sent([key('i-1'), key('i-2')]);
    });
    expect((await bench.item(key('i-1'))).published_at).toBeNull();
    expect((await bench.item(key('i-2'))).published_at).not.toBeNull();
    await bench.start(key('i-3'));
    await sent([key('i-3')]);
    expect((await bench.item(key('i-3'))).published_at).toBeNull();
  });

  test('a relay that marks what it sent and a cancel that holds the rows do not wait for each other', async () => {
    const cancelling: Promise<unknown>[] = [];
    await bench.database.transaction(async (sql) => {
      const taken = await takeUnsent(sql, { topic: 'work.trial', limit: 10 });
      // The cancel locks run, instances and work, then waits for the outbox lines that the relay holds.
      cancelling.push(bench.database.transaction((other) => cancelRun(other, runId, bench.protocol)));
      await eventually(async () => (await bench.database.query(WAITING_FOR_A_LOCK)).length === 1);
      await noteSent(sql, [key('i-1'), key('i-2'), key('i-3')]);
      await markSent(
        sql,
        taken.map(({ id }) => id),
      );
    });
    expect(await Promise.all(cancelling)).toMatchObject([{ state: 'QUARANTINED', cancelledInstances: 3 }]);
  });
});

describe('unsent wake-ups', () => {
  test('of a run frozen to a build stay until a worker of that build is there', async () => {
    await bench.database.query('update runs set build_digest = $1', [BUILD]);
    await announce('w-1', 1, digestOf('newer build'));
    expect(await lines()).toBe(0);
    await announce('w-2', 1, BUILD);
    expect(await lines()).toBe(3);
  });

  test('of a paused run stay', async () => {
    await bench.database.query('update runs set paused = true');
    expect(await lines()).toBe(0);
  });
});

describe('due work is published again', () => {
  test('not while its wake-up still waits in the outbox', async () => {
    expect(await due()).toEqual([]);
  });

  test('when it was never published, or too long ago', async () => {
    await bench.database.query('update outbox set sent_at = now()');
    expect(await due()).toEqual(['i-1', 'i-2', 'i-3']);
    await sent([key('i-1'), key('i-2')]);
    await bench.set(key('i-2'), "published_at = now() - interval '1 minute', run_at = now() - interval '1 minute'");
    expect(await due(30_000)).toEqual(['i-2']);
  });

  test('not while it is leased, waits, is done, or its run is paused', async () => {
    await bench.database.query('update outbox set sent_at = now()');
    await bench.start(key('i-1'));
    await bench.set(key('i-2'), "run_at = now() + interval '1 minute'");
    expect(await due()).toEqual(['i-3']);
    await bench.database.query('update runs set paused = true');
    expect(await due()).toEqual([]);
  });

  test('not where no living worker may have it', async () => {
    await bench.database.query('update outbox set sent_at = now()');
    await bench.database.query('update runs set build_digest = $1', [BUILD]);
    expect(await due()).toEqual([]);
    await announce('w-1', 1);
    expect(await due()).toHaveLength(3);
  });

  test('and what the stream says is kept: since when it is refused, and what was tried', async () => {
    await sendAll();
    const seen = async () => {
      const all = await dueWork(bench.database, 'trial', { quietMs: 0, aliveMs: ALIVE_MS, limit: 10 });
      return all.find(({ key: one }) => one.instanceId === 'i-1');
    };
    await notePublished(bench.database, key('i-1'), { stored: false, repairs: 0 });
    await bench.set(key('i-1'), "refused_since = now() - interval '2 minutes'");
    await notePublished(bench.database, key('i-1'), { stored: false, repairs: 0 });
    expect((await seen())?.refusedMs).toBeGreaterThan(119_000);
    await notePublished(bench.database, key('i-1'), { stored: false, repairs: 1 });
    expect((await seen())?.refusedMs).toBeLessThan(60_000);
    expect(await seen()).toMatchObject({ repairs: 1 });
    await notePublished(bench.database, key('i-1'), { stored: true, repairs: 1 });
    expect(await seen()).toMatchObject({ refusedMs: null, repairs: 1 });
    await bench.start(key('i-1'));
    expect(await bench.item(key('i-1'))).toMatchObject({ repairs: 0, refused_since: null });
  });
});

describe('the streams', () => {
  test('are noted; only one that was known and is another now counts as lost', async () => {
    expect(await noteStreams(bench.database, { WORK: 'monday', RESULTS: 'monday' })).toEqual([]);
    expect(await noteStreams(bench.database, { WORK: 'monday', RESULTS: 'monday' })).toEqual([]);
    expect(await noteStreams(bench.database, { WORK: 'tuesday', RESULTS: 'monday', RUNS: 'tuesday' })).toEqual([
      'WORK',
    ]);
    expect(await noteStreams(bench.database, { WORK: 'tuesday' })).toEqual([]);
  });

  test('that were lost: all open work that nobody holds is due to be published again', async () => {
    await sendAll();
    await bench.start(key('i-1'));
    expect(await forgetPublished(bench.database)).toBe(2);
    expect(await due()).toEqual(['i-2', 'i-3']);
  });
});

test('opening 500 trials, and looking for the due among them, is a matter of a few statements', async () => {
  const instances = Array.from({ length: 500 }, (_, index) => `x-${index}`);
  const big = await seedRun(bench.database, { manifest: aManifest({ instances }) });
  const counted: string[] = [];
  await bench.database.transaction(async (sql) => {
    const counting = {
      query: <Row>(text: string, values?: readonly unknown[]) => {
        counted.push(text);
        return sql.query<Row>(text, values);
      },
    };
    expect(await enqueueRun(counting, big, bench.protocol)).toBe(500);
  });
  expect(counted).toHaveLength(5);
});
