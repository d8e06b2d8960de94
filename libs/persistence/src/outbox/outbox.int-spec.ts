import { randomUUID } from 'node:crypto';
import { Namespace, type RunId } from '@assay/contracts';
import { freshDatabase, seedRun, type TestDatabase } from '@assay/testing';
import { Database, insertOutbox, markFailed, markSent, pruneSent, type Sql, takeUnsent } from '../index';

let server: TestDatabase;
let database: Database;
let runId: RunId;

beforeAll(async () => {
  server = await freshDatabase();
  database = await Database.open({ url: server.url, namespace: Namespace.parse('assay') });
  await database.migrate();
});
afterAll(async () => {
  await database.close();
  await server.drop();
});
beforeEach(async () => {
  await database.query('truncate runs cascade');
  runId = await seedRun(database);
});

function line(sql: Sql, payload: unknown, topic = 'work.trial'): Promise<string> {
  return insertOutbox(sql, { topic, subject: 's', messageId: randomUUID(), payload, runId, traceparent: null });
}

const payloads = async (sql: Sql, limit = 10): Promise<unknown[]> =>
  (await takeUnsent(sql, { topic: 'work.trial', limit })).map(({ payload }) => payload);

test('unsent lines come oldest first, of one topic, no more than asked for, and whole', async () => {
  await line(database, { n: 1 });
  await line(database, 'elsewhere', 'work.grade');
  const id = await insertOutbox(database, {
    topic: 'work.trial',
    subject: 'a.b.c',
    messageId: 'm-2',
    payload: { n: 2 },
    runId,
    traceparent: 'tp',
  });
  await line(database, { n: 3 });
  const taken = await takeUnsent(database, { topic: 'work.trial', limit: 2 });
  expect(taken.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(taken[1]).toEqual({
    id,
    topic: 'work.trial',
    subject: 'a.b.c',
    messageId: 'm-2',
    payload: { n: 2 },
    runId,
    traceparent: 'tp',
    tries: 0,
  });
});

test('a line written in a transaction that fails was never there', async () => {
  await expect(
    database.transaction(async (sql) => {
      await line(sql, 1);
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(await payloads(database)).toEqual([]);
});

test('what one relay holds, another skips; what it did not mark is there again when it is gone', async () => {
  for (const n of [1, 2, 3]) await line(database, n);
  await expect(
    database.transaction(async (one) => {
      expect(await payloads(one, 2)).toEqual([1, 2]);
      await database.transaction(async (two) => {
        expect(await payloads(two)).toEqual([3]);
      });
      throw new Error('the relay dies');
    }),
  ).rejects.toThrow('the relay dies');
  expect(await payloads(database)).toEqual([1, 2, 3]);
});

test('a sent line is not taken again', async () => {
  const [first, second] = [await line(database, 1), await line(database, 2)];
  await line(database, 3);
  await markSent(database, [first, second]);
  expect(await payloads(database)).toEqual([3]);
  await markSent(database, []);
  expect(await payloads(database)).toEqual([3]);
});

test('a failed line keeps its reason, counts its tries and waits', async () => {
  const [late, soon] = [await line(database, 'late'), await line(database, 'soon')];
  await markFailed(database, { id: late, error: 'no responders', delayMs: 60_000 });
  await markFailed(database, { id: soon, error: 'timeout', delayMs: 0 });
  expect(await takeUnsent(database, { topic: 'work.trial', limit: 9 })).toMatchObject([{ id: soon, tries: 1 }]);
  expect(await database.query('select last_error, tries from outbox order by id')).toEqual([
    { last_error: 'no responders', tries: 1 },
    { last_error: 'timeout', tries: 1 },
  ]);
});

test('a line that was sent after all does not become unsent by a late failure', async () => {
  const id = await line(database, 1);
  await markSent(database, [id]);
  await markFailed(database, { id, error: 'late', delayMs: 0 });
  expect(await payloads(database)).toEqual([]);
  expect(await database.query('select tries, last_error from outbox')).toEqual([{ tries: 0, last_error: null }]);
});

test('lines sent long ago are deleted, the oldest first and no more than asked for; what was not sent stays', async () => {
  const ids: string[] = [];
  for (const n of [1, 2, 3, 4, 5]) ids.push(await line(database, n));
  await database.query("update outbox set created_at = now() - interval '1 year'");
  for (const [index, age] of ['3 hours', '2 hours', '61 minutes', '59 minutes'].entries()) {
    await database.query(`update outbox set sent_at = now() - interval '${age}' where id = $1`, [ids[index]]);
  }
  const left = async (): Promise<number[]> =>
    (await database.query<{ payload: number }>('select payload from outbox order by id')).map(({ payload }) => payload);
  expect(await pruneSent(database, { keptMs: 3_600_000, limit: 2 })).toBe(2);
  expect(await left()).toEqual([3, 4, 5]);
  expect(await pruneSent(database, { keptMs: 3_600_000, limit: 2 })).toBe(1);
  expect(await pruneSent(database, { keptMs: 3_600_000, limit: 2 })).toBe(0);
  expect(await left()).toEqual([4, 5]);
});
