import { randomUUID } from 'node:crypto';
import type { ArtifactRef, Manifest, RunId } from '@assay/contracts';
import { nextInstanceState } from '@assay/lifecycle';
import type { Sql } from '../database';
import type { OpenedWork } from './enqueue-run';

/** Stands for a worker in the attempts of a grade-only run: nobody tried, the patch was handed in. */
const HANDED_IN = 'handed in';

/**
 * Puts a completed attempt in the place of every queued instance's trial, with the prediction's patch as its own, and
 * opens its grade. The attempt has epoch 0: no claim was ever granted for it, and it does not count as a try.
 */
export async function takePredictions(sql: Sql, runId: RunId, manifest: Manifest): Promise<OpenedWork[]> {
  nextInstanceState('QUEUED', { type: 'prediction_taken' });
  const given = manifest.instances.flatMap(({ id, prediction }) => {
    if (prediction === undefined) return [];
    const { patch, trajectory } = prediction;
    const artifacts: ArtifactRef[] = [patch, trajectory].filter((ref) => ref !== null);
    const outcome = { kind: 'prediction', ...prediction };
    return [{ attempt: randomUUID(), claim: randomUUID(), instance: id, outcome, artifacts }];
  });
  return sql.query<OpenedWork>(
    `with given as (
       select * from jsonb_to_recordset($2::jsonb)
         as line (attempt uuid, claim uuid, instance text, outcome jsonb, artifacts jsonb)
     ),
     taken as (
       update instances i set state = 'GRADING', attempt_id = given.attempt from given
       where i.run_id = $1 and i.instance_id = given.instance and i.state = 'QUEUED'
       returning i.*
     ),
     tried as (
       insert into attempts (id, run_id, instance_id, sample, number, epoch, claim_id, worker, build_digest, state,
         outcome, traceparent, started_at, finished_at)
       select given.attempt, $1, taken.instance_id, taken.sample, 1, 0, given.claim, $3, '', 'COMPLETED', given.outcome,
         taken.traceparent, now(), now()
       from taken join given on given.attempt = taken.attempt_id
     ),
     kept as (
       insert into artifacts (run_id, instance_id, sample, attempt_id, name, digest, size, media_type)
       select $1, taken.instance_id, taken.sample, given.attempt, name, digest, size, "mediaType"
       from taken join given on given.attempt = taken.attempt_id, jsonb_to_recordset(given.artifacts)
         as artifact (name text, digest text, size bigint, "mediaType" text)
     ),
     opened as (
       insert into work_items (kind, run_id, instance_id, sample, traceparent)
       select 'grade', $1, instance_id, sample, traceparent from taken
     )
     select instance_id, sample, traceparent from taken order by position, sample`,
    [runId, JSON.stringify(given), HANDED_IN],
  );
}
