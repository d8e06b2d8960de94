import type { Digest } from '@assay/contracts';
import type { Sql } from '../database';

export interface OwnArtifact {
  /** The authenticated repository of a run. */
  readonly repository: string;
  readonly digest: Digest;
}

/** Whether a run of this repository has left this artifact. */
export async function hasArtifact(sql: Sql, { repository, digest }: OwnArtifact): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from artifacts join runs on runs.id = artifacts.run_id
     where artifacts.digest = $1 and runs.repository = $2 limit 1`,
    [digest, repository],
  );
  return rows.length > 0;
}
