import { Namespace } from '@assay/contracts';
import { freshDatabase, type TestDatabase } from '@assay/testing';
import { Database, pendingMigrations } from './index';
import { MIGRATIONS } from './migrations/migrations';

let server: TestDatabase;
let database: Database;
beforeEach(async () => {
  server = await freshDatabase();
  database = await Database.open({ url: server.url, namespace: Namespace.parse('assay') });
});
afterEach(async () => {
  await database.close();
  await server.drop();
});

const all = MIGRATIONS.map((Migration) => new Migration().name);

test('before any migration all are pending, and looking makes nothing', async () => {
  expect(await pendingMigrations(database)).toEqual(all);
  const tables = await database.query(`select 1 from information_schema.tables where table_schema = 'assay'`);
  expect(tables).toEqual([]);
});

test('after all migrations none is pending, in this namespace only', async () => {
  await database.migrate();
  expect(await pendingMigrations(database)).toEqual([]);
  const other = await Database.open({ url: server.url, namespace: Namespace.parse('other') });
  expect(await pendingMigrations(other)).toEqual(all);
  await other.close();
});

test('a migration that is new in this build is pending until it is applied', async () => {
  await database.migrate();
  await database.query('delete from migrations where name = $1', [all.at(-1)]);
  expect(await pendingMigrations(database)).toEqual([all.at(-1)]);
});
