import { Client } from 'pg';
import { freshDatabase, TestNats } from './index';

test('a fresh database is empty and speaks SQL', async () => {
  const database = await freshDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ n: number }>(
    "select count(*)::int as n from information_schema.tables where table_schema = 'public'",
  );
  expect(rows).toEqual([{ n: 0 }]);
  await client.end();
  await database.drop();
});

test('a nats-server can be killed and started again on its port', async () => {
  const nats = await TestNats.start();
  const { port } = nats;
  await nats.kill();
  await nats.restart();
  expect(nats.port).toBe(port);
  await nats.stop();
});
