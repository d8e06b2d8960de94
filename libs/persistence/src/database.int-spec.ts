import { Namespace } from '@assay/contracts';
import { freshDatabase, type TestDatabase } from '@assay/testing';
import { Database } from './database';

let server: TestDatabase;
beforeAll(async () => {
  server = await freshDatabase();
});
afterAll(() => server.drop());

test('an update with returning answers its rows, and a failed transaction leaves nothing', async () => {
  const database = await Database.open({ url: server.url, namespace: Namespace.parse('one') });
  await database.migrate();
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
  await database.close();
});
