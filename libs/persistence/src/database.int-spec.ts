import { Namespace, type RunId } from '@assay/contracts';
import { eventually, freePort, freshDatabase, seedRun, type TestDatabase } from '@assay/testing';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { Database, DatabaseUnavailable, getRun, insertOutbox } from './index';

let server: TestDatabase;
const opened: Database[] = [];

beforeEach(async () => {
  server = await freshDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await server.drop();
});

async function open(namespace = 'one', poolSize?: number): Promise<Database> {
  const size = poolSize === undefined ? {} : { poolSize };
  const database = await Database.open({ url: server.url, namespace: Namespace.parse(namespace), ...size });
  opened.push(database);
  return database;
}

async function migrated(namespace?: string): Promise<Database> {
  const database = await open(namespace);
  await database.migrate();
  return database;
}

/** Ends every listening connection, as a restart of the server would. */
async function cutListeners(database: Database): Promise<void> {
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name like 'assay-listen-%' and datname = current_database()`,
  );
}

test('an update with returning answers its rows, and a failed transaction leaves nothing', async () => {
  const database = await migrated();
  await database.query("insert into streams (name, created) values ('s', 'a')");
  const rows = await database.query<{ created: string }>(
    "update streams set created = 'b' where name = $1 returning created",
    ['s'],
  );
  expect(rows).toEqual([{ created: 'b' }]);
  await expect(
    database.transaction(async (sql) => {
      await sql.query("insert into streams (name, created) values ('t', 'a')");
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await database.query("select name from streams where name = 't'")).toEqual([]);
});

test('a transaction whose connection dies fails, and the pool lives on', async () => {
  const database = await open('one', 1);
  await database.migrate();
  const killer = await open('two');
  await expect(
    database.transaction(async (sql) => {
      const [me] = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
      await killer.query('select pg_terminate_backend($1)', [me?.pid]);
      await sql.query("insert into streams (name, created) values ('s', 'a')");
    }),
    // The server's word arrives with the next statement, or was heard before, or is lost with the broken socket.
  ).rejects.toThrow(/terminating connection|Connection terminated|connection was lost|ECONNRESET|EPIPE/);
  expect(await database.query('select name from streams')).toEqual([]);
});

describe('opening', () => {
  const namespace = Namespace.parse('one');
  const failure = async (url: string): Promise<Error> => {
    const error: unknown = await Database.open({ url, namespace }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    return error as Error;
  };

  test('says in one line where no server answers, without the password', async () => {
    const port = await freePort();
    const { message, cause } = await failure(`postgres://me:s3cret@127.0.0.1:${port}/assay`);
    expect(message).toBe(`cannot open the database 127.0.0.1:${port}/assay: connect ECONNREFUSED 127.0.0.1:${port}`);
    expect(cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('says so for a name of two addresses too', async () => {
    const port = await freePort();
    expect((await failure(`postgres://localhost:${port}/assay`)).message).toContain(`ECONNREFUSED`);
  });

  test('says that there is no such database', async () => {
    const url = new URL(server.url);
    url.pathname = '/not_there';
    expect((await failure(url.toString())).message).toMatch(
      /^cannot open the database .*\/not_there: .*does not exist$/,
    );
  });

  test('says so of an address that is none', async () => {
    const { message } = await failure('my-database');
    expect(message).toMatch(/^cannot open the database \(its address is not a URL such as .*\): /);
    expect(message).not.toContain('\n');
  });

  test('gives up on a server that accepts and says nothing', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    expect((await failure(`postgres://me@127.0.0.1:${portOf(silent)}/assay`)).message).toContain('timeout');
    silent.close();
  });

  test('and migrating by several services at the same moment ends in one schema', async () => {
    const services = await Promise.all(Array.from({ length: 5 }, () => migrated()));
    await services[0]!.query("insert into streams (name, created) values ('s', 'a')");
    expect(await services[4]!.query('select name from streams')).toEqual([{ name: 's' }]);
  });

  test('works with a pool of one connection', async () => {
    const database = await open('one', 1);
    await database.migrate();
    expect(await database.query('select * from runs')).toEqual([]);
  });
});

describe('two deployments on one database', () => {
  test('do not see each other: neither rows nor migrations', async () => {
    const [one, two] = [await migrated('one'), await migrated('two')];
    const runId: RunId = await seedRun(one, { runId: 'same-id' });
    expect(await getRun(two, runId)).toBeNull();
    await seedRun(two, { runId: 'same-id' });
    await one.query("update runs set state = 'CANCELLED'");
    expect(await getRun(two, runId)).toMatchObject({ state: 'QUEUED' });
    await two.query('drop schema two cascade');
    expect(await getRun(one, runId)).toMatchObject({ state: 'CANCELLED' });
  });

  test('do not hear each other', async () => {
    const [one, two] = [await migrated('one'), await migrated('two')];
    const heard: string[] = [];
    await one.listen('outbox', () => heard.push('one'));
    await two.listen('outbox', () => heard.push('two'));
    const runId = await seedRun(two);
    const line = { topic: 't', subject: 's', messageId: 'm', payload: {}, runId, traceparent: null };
    await insertOutbox(two, line);
    await eventually(() => heard.length > 0);
    // Notifications of one server come in the order of their commits: what `one` hears next is all that it will hear.
    await one.query("select pg_notify('one_outbox', '')");
    await eventually(() => heard.includes('one'));
    expect(heard).toEqual(['two', 'one']);
  });
});

describe('a listener', () => {
  test('hears of an outbox line only when its transaction is committed', async () => {
    const database = await migrated();
    const runId = await seedRun(database);
    let heard = 0;
    await database.listen('outbox', () => (heard += 1));
    const line = { topic: 't', subject: 's', messageId: 'm', payload: {}, runId, traceparent: null };
    await expect(
      database.transaction(async (sql) => {
        await insertOutbox(sql, line);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await database.transaction(async (sql) => {
      await insertOutbox(sql, line);
      await insertOutbox(sql, line);
    });
    await eventually(() => heard > 0);
    // The server folds equal notifications of one transaction, and the failed one sent none.
    await database.query("select pg_notify('one_outbox', 'last')");
    await eventually(() => heard > 1);
    expect(heard).toBe(2);
  });

  test('comes back by itself when its connection is cut, tells it, and calls once more: what it missed must be looked for', async () => {
    const database = await migrated();
    let heard = 0;
    const lost: Error[] = [];
    await database.listen('outbox', () => (heard += 1), { onLost: (error) => lost.push(error) });
    await cutListeners(database);
    await eventually(() => heard === 1, { what: 'the call after the reconnect' });
    expect(lost).toHaveLength(1);
    await database.query("select pg_notify('one_outbox', '')");
    await eventually(() => heard === 2, { what: 'a notification over the new connection' });
    await cutListeners(database);
    await eventually(() => heard === 3, { what: 'the second reconnect' });
  });

  test('keeps trying while the server refuses, and is there when it does not', async () => {
    const door = await aDoor();
    const database = await Database.open({ url: door.url, namespace: Namespace.parse('one') });
    opened.push(database);
    let heard = 0;
    await database.listen('outbox', () => (heard += 1));
    door.shut();
    await eventually(() => door.refused() >= 3, { what: 'three vain tries' });
    expect(heard).toBe(0);
    door.open();
    await eventually(() => heard === 1, { what: 'the reconnect' });
    await database.query("select pg_notify('one_outbox', '')");
    await eventually(() => heard === 2, { what: 'a notification over the new connection' });
    door.remove();
  });

  test('that is closed is never called again and opens no connection', async () => {
    const database = await migrated();
    let heard = 0;
    const listener = await database.listen('outbox', () => (heard += 1));
    await listener.close();
    await database.query("select pg_notify('one_outbox', '')");
    const [row] = await database.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where application_name like 'assay-listen-one%' and datname = current_database()",
    );
    expect(row?.n).toBe(0);
    expect(heard).toBe(0);
  });

  test('that is closed while it waits to come back stays closed', async () => {
    const door = await aDoor();
    const database = await Database.open({ url: door.url, namespace: Namespace.parse('one') });
    const listener = await database.listen('outbox', () => undefined);
    door.shut();
    await eventually(() => door.refused() >= 1, { what: 'a vain try' });
    await listener.close();
    const before = door.refused();
    door.open();
    await database.query('select 1');
    expect(door.refused()).toBe(before);
    await database.close();
    door.remove();
  });

  test('cannot be had from a server that is away: it says so at once', async () => {
    const door = await aDoor();
    const database = await Database.open({ url: door.url, namespace: Namespace.parse('one') });
    opened.push(database);
    door.shut();
    await expect(database.listen('outbox', () => undefined)).rejects.toThrow(/terminated|ECONNRESET|ended/);
    door.remove();
  });
});

function portOf(listening: Server): number {
  return (listening.address() as AddressInfo).port;
}

/** A way to the test server that can be shut: then it cuts what is open and refuses what comes. */
async function aDoor() {
  const real = new URL(server.url);
  const sockets = new Set<{ destroy(): void }>();
  let isOpen = true;
  let refused = 0;
  const way = createServer((socket) => {
    socket.on('error', () => undefined);
    if (!isOpen) {
      refused += 1;
      socket.destroy();
      return;
    }
    const onward = connect(Number(real.port), real.hostname);
    onward.on('error', () => undefined);
    for (const one of [socket, onward]) sockets.add(one);
    socket.pipe(onward).pipe(socket);
  });
  await once(way.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(server.url);
  url.port = String(portOf(way));
  return {
    url: url.href,
    refused: () => refused,
    open: () => {
      isOpen = true;
    },
    shut: () => {
      isOpen = false;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    remove: () => way.close(),
  };
}
