import type { RunId, SubmitRequest } from '@assay/contracts';
import type { Sql } from '../database';

/** Notes what a run owes its release. Nothing where it has none: submissions without a release are never published. */
export async function insertPublication(
  sql: Sql,
  { runId, suite }: { readonly runId: RunId; readonly suite: string },
  { release }: Pick<SubmitRequest, 'release'>,
): Promise<void> {
  if (release === undefined) return;
  await sql.query(
    `with p as (
       insert into publications (run_id, repository, release_id, tag, suite, state)
       values ($1, $2, $3, $4, $5, 'PENDING') returning run_id
     )
     update runs set publication_state = 'PENDING' where id in (select run_id from p)`,
    [runId, release.repository, release.id, release.tag, suite],
  );
}
