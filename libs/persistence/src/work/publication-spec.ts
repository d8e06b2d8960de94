import { InstanceId, PublishedCase, type PublicationSpec, type RunId, RunResult } from '@assay/contracts';
import type { Sql } from '../database';

interface Row {
  state: string;
  repository: string;
  release_id: string;
  tag: string;
  result: unknown;
  block_digest: string | null;
  asset_names: string[];
  trajectories: boolean;
  patches: boolean;
}

/** What a publisher is to write, or to look for: all of it decided when the run ended. */
export async function publicationSpec(sql: Sql, runId: RunId): Promise<PublicationSpec> {
  const [row] = await sql.query<Row>(
    `select p.state, p.repository, p.release_id, p.tag, p.block_digest, r.result,
       array(select asset ->> 'name' from jsonb_array_elements(p.assets) as asset) as asset_names,
       coalesce((r.manifest #>> '{suite,publishTrajectories}')::boolean, false) as trajectories,
       coalesce((r.manifest #>> '{suite,publishPatches}')::boolean, false) as patches
     from publications p join runs r on r.id = p.run_id where p.run_id = $1`,
    [runId],
  );
  if (row === undefined) throw new Error(`run ${runId} has no publication`);
  return {
    kind: 'publication',
    phase: row.state === 'WRITTEN' ? 'verify' : 'write',
    repository: row.repository,
    releaseId: Number(row.release_id),
    tag: row.tag,
    result: RunResult.parse(row.result),
    cases: row.trajectories || row.patches ? await casesOf(sql, runId, row) : [],
    blockDigest: row.block_digest,
    assetNames: row.asset_names,
  };
}

/** What the attempt that counts left of each instance, as far as the suite lets it out. */
async function casesOf(sql: Sql, runId: RunId, { trajectories, patches }: Row): Promise<PublishedCase[]> {
  const rows = await sql.query<{ instance_id: string; sample: number; trajectory: unknown; patch: unknown }>(
    `select i.instance_id, i.sample,
       (select jsonb_build_object('digest', digest, 'size', size) from artifacts
        where $2 and attempt_id = i.attempt_id and name = 'trajectory') as trajectory,
       (select jsonb_build_object('digest', digest, 'size', size) from artifacts
        where $3 and attempt_id = i.attempt_id and name = 'patch') as patch
     from instances i where i.run_id = $1 order by i.position, i.sample`,
    [runId, trajectories, patches],
  );
  return rows
    .filter(({ trajectory, patch }) => trajectory !== null || patch !== null)
    .map(({ instance_id, sample, trajectory, patch }) =>
      PublishedCase.parse({ instanceId: InstanceId.parse(instance_id), sample, trajectory, patch }),
    );
}
