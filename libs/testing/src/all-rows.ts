import { Client } from 'pg';

/** Every row of every table of a database, as text; for tests that look for what must be found nowhere. */
export async function allRows(url: string): Promise<{ table: string; text: string }[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const found: { table: string; text: string }[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`);
      found.push(...rows.map(({ text }) => ({ table: name, text })));
    }
    return found;
  } finally {
    await client.end();
  }
}
