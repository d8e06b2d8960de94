import type { Sql } from '../database';

/**
 * Compares when each stream was created with what was noted the last time, and notes it. Resolves with the names of those
 * that were known and are others now: their store was lost.
 */
export async function noteStreams(sql: Sql, created: Readonly<Record<string, string>>): Promise<string[]> {
  const names = Object.keys(created);
  const rows = await sql.query<{ name: string; before: string | null }>(
    `with given as (select * from unnest($1::text[], $2::text[]) as given (name, created)),
     known as (select s.name, s.created from streams s join given using (name)),
     noted as (
       insert into streams (name, created) select name, created from given
       on conflict (name) do update set created = excluded.created
     )
     select given.name, known.created as before from given left join known using (name)
     where known.created is distinct from given.created`,
    [names, names.map((name) => created[name] ?? '')],
  );
  return rows.filter(({ before }) => before !== null).map(({ name }) => name);
}
