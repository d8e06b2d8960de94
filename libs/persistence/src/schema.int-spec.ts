import { Namespace } from '@assay/contracts';
import { freshDatabase, type TestDatabase } from '@assay/testing';
import { DataSource } from 'typeorm';
import { Database } from './index';
import { ENTITIES } from './entities/entities';
import { PostgresNaming } from './entities/naming';

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await freshDatabase();
  database = await Database.open({ url: server.url, namespace: Namespace.parse('migrated') });
  await database.migrate();
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

/** Tables, columns, constraints and indexes of a schema as PostgreSQL itself prints them, one line each. */
async function dump(schema: string): Promise<string[]> {
  const rows = await database.query<{ line: string }>(
    `select format('%s.%s %s %s default %s identity %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
         case when a.attnotnull then 'not null' else 'null' end, coalesce(pg_get_expr(d.adbin, d.adrelid), '-'),
         a.attidentity) as line
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
     union all
     select format('%s %s: %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
       where connamespace = $1::regnamespace and contype <> 'n' and conrelid::regclass::text not like '%migrations'
     union all
     select pg_get_indexdef(indexrelid) from pg_index join pg_class c on c.oid = indrelid
       where c.relnamespace = $1::regnamespace and c.relname <> 'migrations'
`,
    [schema],
  );
  return rows.map(({ line }) => line.replaceAll(`${schema}.`, '')).sort();
}

describe('the migrations', () => {
  test('leave the entities nothing to do', async () => {
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  test('build what the entities would build: every column, default, key, check and index', async () => {
    await database.query('create schema built');
    const built = await new DataSource({
      type: 'postgres',
      url: server.url,
      schema: 'built',
      entities: ENTITIES,
      namingStrategy: new PostgresNaming(),
    }).initialize();
    await built.driver.createSchemaBuilder().build();
    await built.destroy();
    const [fromEntities, fromMigrations] = [await dump('built'), await dump('migrated')];
    expect(fromEntities.length).toBeGreaterThan(100);
    expect(fromEntities).toEqual(fromMigrations);
  });

  test('leave nothing behind when they are taken back', async () => {
    const other = await Database.open({ url: server.url, namespace: Namespace.parse('undone') });
    await other.migrate();
    for (const _ of other.dataSource.migrations) await other.dataSource.undoLastMigration({ transaction: 'each' });
    const left = await other.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'undone'::regnamespace and relkind in ('r', 'v')
       union all select proname from pg_proc where pronamespace = 'undone'::regnamespace`,
    );
    expect(left).toEqual([{ name: 'migrations' }]);
    await other.migrate();
    expect(await other.query('select * from runs')).toEqual([]);
    await other.close();
  });
});
