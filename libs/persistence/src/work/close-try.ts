import type { ResultMessage } from '@assay/contracts';
import type { Sql } from '../database';
import { TRIES_TABLE } from './work-rows';

/** Whose artifacts a kind's are; those of a publication belong to the run alone. */
const OWNER_COLUMN = { trial: 'attempt_id', grade: 'grade_id', publication: null } as const;

/**
 * Writes what came of a try: COMPLETED or FAILED with its outcome, and what it left in the store. A try that never beat
 * counts as started.
 * @param columns further columns of the try's own table
 */
export async function closeTry(
  sql: Sql,
  { key, outcome, artifacts }: ResultMessage,
  tryId: string,
  columns: Readonly<Record<string, string | number | null>> = {},
): Promise<void> {
  const failure = outcome.kind === 'failed' ? outcome.failure : null;
  const names = Object.keys(columns);
  const further = names.map((name, index) => `, ${name} = $${index + 9}`).join('');
  const owner = OWNER_COLUMN[key.kind];
  await sql.query(
    `with t as (
       update ${TRIES_TABLE[key.kind]} set state = $2, outcome = $3, failure = $4, finished_at = now(),
         started_at = coalesce(started_at, now())${further}
       where id = $1 returning id
     )
     insert into artifacts (run_id, instance_id, sample, name, digest, size, media_type${owner === null ? '' : `, ${owner}`})
     select $5, $6, $7, name, digest, size, "mediaType"${owner === null ? '' : ', t.id'}
     from t, jsonb_to_recordset($8::jsonb) as artifact (name text, digest text, size bigint, "mediaType" text)
     on conflict do nothing`,
    [
      tryId,
      failure === null ? 'COMPLETED' : 'FAILED',
      JSON.stringify(outcome),
      failure === null ? null : JSON.stringify(failure),
      key.runId,
      key.instanceId,
      key.sample,
      JSON.stringify(artifacts),
      ...names.map((name) => columns[name]),
    ],
  );
}
