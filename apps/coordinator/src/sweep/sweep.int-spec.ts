import { REPLY_HEADER, type ResultMessage, type RunId } from '@assay/contracts';
import { aManifest, aResult, completedTrial, eventually, graded, seedRun, workKey } from '@assay/testing';
import { CoordinatorBench, TIMINGS, type Held } from '../harness/test-coordinator';

// Design section 3a, "sweeper", against a real PostgreSQL and nats-server, over durations of a fortieth.

let bench: CoordinatorBench;
let runId: RunId;
beforeEach(async () => {
  bench = await CoordinatorBench.open();
});
afterEach(() => bench.close());

const trial = (instance = 'i-1') => workKey(runId, 'trial', instance);
const attempts = async () =>
  (await bench.database.query<{ state: string }>('select state from attempts order by epoch')).map(
    ({ state }) => state,
  );

async function submit(seed: Parameters<typeof aManifest>[0] = {}): Promise<void> {
  runId = await bench.submit({ manifest: aManifest(seed) });
  await eventually(async () => (await bench.database.query('select 1 from work_items')).length > 0);
}

async function storedTrial() {
  const patch = await bench.artifacts.put('patch', 'text/x-diff', Buffer.from('--- a\n'));
  const trajectory = await bench.artifacts.put('trajectory', 'application/json', Buffer.from('{}'));
  return completedTrial({ patch, trajectory });
}

describe('a silent holder', () => {
  test('loses its work within a lease and a sweep; the attempt counts and the work goes to the next', async () => {
    await bench.start();
    await bench.announce('trial', 1);
    await submit();
    await bench.hold(trial());
    await eventually(async () => (await attempts())[0] === 'LOST', { timeoutMs: 4 * TIMINGS.leaseMs });
    await eventually(async () => (await bench.claim(trial(), { worker: 'w-2' })).answer === 'granted');
    expect(await attempts()).toEqual(['LOST', 'GRANTED']);
  });

  test('that heartbeats keeps its work for several leases', async () => {
    await bench.start();
    await submit();
    const held = await bench.hold(trial());
    const until = Date.now() + 3 * TIMINGS.leaseMs;
    await eventually(
      async () => {
        expect(await bench.beat(held)).toMatchObject({ answer: 'ok' });
        return Date.now() > until;
      },
      { timeoutMs: 4 * TIMINGS.leaseMs },
    );
    expect(await attempts()).toEqual(['STARTED']);
  });
});

describe('a lapsed lease whose result waits in its stream', () => {
  /** A result that nobody has taken yet: the one coordinator that runs does not listen. */
  async function waitingResult(
    change: (message: ResultMessage) => ResultMessage = (message) => message,
  ): Promise<Held> {
    const listening = await bench.start();
    await submit();
    const held = await bench.hold(trial());
    await bench.keepLeases();
    await listening.stop();
    await bench.send(change(aResult(held, await storedTrial())));
    await bench.lapse();
    await bench.start({ deaf: true });
    return held;
  }

  test('is ended by that result, not as lost', async () => {
    await waitingResult();
    await eventually(async () => (await bench.instanceState(trial())) === 'GRADING', { timeoutMs: 20_000 });
    expect(await attempts()).toEqual(['COMPLETED']);
  });

  test('is lost when the waiting result is not that of its holder', async () => {
    await waitingResult((message) => ({ ...message, epoch: message.epoch + 1 }));
    await eventually(async () => (await attempts())[0] === 'LOST', { timeoutMs: 20_000 });
  });

  test('is answered when the result is delivered at last: it was recorded before', async () => {
    const answers: string[] = [];
    const inbox = '_INBOX.late';
    bench.link.connection.subscribe(inbox, { callback: (_, message) => void answers.push(message.string()) });
    const listening = await bench.start();
    await submit();
    const held = await bench.hold(trial());
    await bench.keepLeases();
    await listening.stop();
    await bench.send(aResult(held, await storedTrial()), { [REPLY_HEADER]: inbox });
    await bench.lapse();
    const deaf = await bench.start({ deaf: true });
    await eventually(async () => (await bench.instanceState(trial())) === 'GRADING', { timeoutMs: 20_000 });
    await deaf.stop();
    await bench.start();
    await eventually(() => answers.length > 0, { timeoutMs: 20_000 });
    expect(answers.map((text) => JSON.parse(text) as unknown)).toContainEqual({ answer: 'already_recorded' });
  });
});

describe('the quiet period', () => {
  test('lasts a full lease after the start: no expiry, and no claim over a lapsed lease', async () => {
    const first = await bench.start();
    await submit();
    const held = await bench.hold(trial());
    await bench.keepLeases();
    await first.stop();
    await bench.lapse();
    const startedAt = Date.now();
    await bench.start();
    expect(await bench.claim(trial(), { worker: 'w-2' })).toMatchObject({ answer: 'held' });
    expect(await bench.beat(held)).toMatchObject({ answer: 'ok' });
    await bench.lapse();
    await eventually(async () => (await attempts())[0] === 'LOST', { timeoutMs: 20_000 });
    expect(Date.now() - startedAt).toBeGreaterThan(TIMINGS.leaseMs);
  });

  test('begins anew when the connection to NATS was lost', async () => {
    await bench.start();
    const firstQuietIsOver = Date.now() + TIMINGS.leaseMs;
    await submit();
    const held = await bench.hold(trial());
    await eventually(async () => {
      await bench.beat(held);
      return Date.now() > firstQuietIsOver;
    });
    await bench.nats.kill();
    await eventually(() => !bench.link.connected);
    await bench.lapse();
    await bench.nats.restart();
    const backAt = Date.now();
    await eventually(async () => (await attempts())[0] === 'LOST', { timeoutMs: 20_000 });
    expect(Date.now() - backAt).toBeGreaterThan(TIMINGS.leaseMs * 0.8);
  });
});

describe('the quiet period, when the database was in trouble', () => {
  test('begins anew when a heartbeat could not be recorded', async () => {
    await bench.start();
    await submit();
    const held = await bench.hold(trial());
    await bench.keepLeases();
    await bench.database.query('alter table work_items rename to away');
    await expect(bench.beat(held)).rejects.toThrow('work_items');
    await bench.database.query('alter table away rename to work_items');
    const backAt = Date.now();
    await bench.lapse();
    await eventually(async () => (await attempts())[0] === 'LOST', { timeoutMs: 20_000 });
    expect(Date.now() - backAt).toBeGreaterThan(TIMINGS.leaseMs * 0.8);
  });
});

describe('what is due and lies nowhere', () => {
  test('is published again', async () => {
    await bench.start();
    await bench.announce('trial', 1);
    await submit();
    const first = await bench.woken(trial());
    await bench.acknowledge(first);
    const second = await bench.woken(trial());
    expect(second.sequence).toBeGreaterThan(first.sequence);
    expect(await bench.claim(trial())).toMatchObject({ answer: 'granted', epoch: 1 });
  });

  test('a run whose message was lost is opened', async () => {
    await bench.start();
    runId = await seedRun(bench.database);
    await bench.database.query("update runs set queued_at = now() - interval '1 minute'");
    await bench.announce('trial', 1);
    expect(await bench.woken(trial())).toMatchObject({ body: { key: trial() } });
  });

  test('a run that nobody decided is decided', async () => {
    await bench.start();
    await submit();
    await bench.database.query("update instances set state = 'INFRA_FAILED', terminal_at = now()");
    await eventually(async () => (await bench.runState(runId)) === 'QUARANTINED');
  });
});

test('lines of the outbox that were sent longer ago than they are kept are gone; the run’s story stays whole', async () => {
  await bench.start();
  await bench.announce('trial', 2);
  await submit({ instances: ['i-1', 'i-2'] });
  await bench.woken(trial('i-2'));
  const story = await bench.database.query('select * from events order by id');
  await bench.database.query(
    `update outbox set sent_at = now() - $1 * interval '1 millisecond'
     where sent_at is not null and payload -> 'key' ->> 'instanceId' = 'i-1'`,
    [TIMINGS.sentKeptMs + 1_000],
  );
  await eventually(async () => {
    const rows = await bench.database.query<{ instance: string }>(
      "select payload -> 'key' ->> 'instanceId' as instance from outbox where topic = 'work.trial'",
    );
    return rows.map(({ instance }) => instance).join() === 'i-2';
  });
  expect(await bench.database.query('select * from events order by id')).toEqual(story);
});

test('work that is stored and that idle workers never get is deleted and published; again, its consumer is laid anew', async () => {
  await bench.start();
  await bench.announce('trial', 1);
  await submit();
  const manager = await bench.link.manager();
  const { names } = bench.link;
  const consumer = () => manager.consumers.info(names.workStream, names.workDurable('trial'));
  const [first, laidAt] = [await bench.woken(trial()), (await consumer()).created];
  await bench.woken(trial(), first);
  expect(bench.logged('A wake-up that nobody gets was deleted, to be published again')).toBe(1);
  expect((await consumer()).created).toBe(laidAt);
  await eventually(async () => (await consumer()).created !== laidAt, { timeoutMs: 20_000 });
  await eventually(() => bench.logged('A consumer that delivers nothing was laid anew') > 0);
});

test('two coordinators sweep one after the other: a lease that lapsed is expired once', async () => {
  await bench.start();
  await bench.start();
  await submit({ instances: ['i-1', 'i-2', 'i-3'] });
  for (const instance of ['i-1', 'i-2', 'i-3']) await bench.hold(trial(instance));
  await eventually(async () => (await attempts()).every((state) => state === 'LOST'), { timeoutMs: 20_000 });
  const lost = await bench.database.query("select 1 from events where type = 'trial.lost'");
  expect(lost).toHaveLength(3);
});

test('a coordinator that dies amid a run is replaced by another, and nothing is lost or doubled', async () => {
  const first = await bench.start();
  await submit({ instances: ['i-1', 'i-2'] });
  const held = await bench.hold(trial('i-1'));
  await bench.keepLeases();
  await first.stop();
  await bench.send(aResult(held, await storedTrial()));
  await bench.start();
  await eventually(async () => (await bench.instanceState(trial('i-1'))) === 'GRADING');
  const grade = await bench.hold(workKey(runId, 'grade', 'i-1'));
  expect(await bench.deliver(aResult(grade, graded()))).toEqual({ answer: 'recorded' });
  expect(await bench.deliver(aResult(await bench.hold(trial('i-2')), await storedTrial()))).toEqual({
    answer: 'recorded',
  });
  expect(await attempts()).toEqual(['COMPLETED', 'COMPLETED']);
});
