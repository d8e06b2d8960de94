import {
  type Digest,
  type InstanceId,
  type Manifest,
  type Names,
  type RunId,
  type RunSubmittedMessage,
  SubmitRequest,
} from '@assay/contracts';
import type { Sql } from '../database';
import { insertOutbox } from '../outbox/insert-outbox';
import { insertChain } from '../chain/insert-chain';
import { insertPublication } from './insert-publication';

export interface Freezing {
  readonly runId: RunId;
  readonly manifest: Manifest;
  /** sha256 of the manifest's canonical JSON. */
  readonly manifestDigest: Digest;
  /** The deployment's subjects. */
  readonly names: Names;
  /** The dispatch span of an instance: the root of its trace. Null where nothing is traced. */
  readonly traceparentOf: (instance: InstanceId) => string | null;
}

/**
 * Makes a WAITING run QUEUED: manifest, instances, event, publication (where the run has a release and its suite
 * publishes) and the outbox line `run.submitted`, all of them or nothing. Must run inside a transaction. False, with
 * nothing changed, when the run is no longer WAITING.
 */
export async function freezeRun(sql: Sql, freezing: Freezing): Promise<boolean> {
  const { runId, manifest, manifestDigest } = freezing;
  const [run] = await sql.query<FrozenRun>(
    `update runs set state = 'QUEUED', queued_at = now(), next_at = null, last_error = null, manifest = $2, manifest_digest = $3,
       build_digest = $4, evaluated_commit = $5, package_version = $6, run_limits = $7
     where id = $1 and state = 'WAITING' returning request, traceparent, origin is not null as planned, origin -> 'plan' ->> 'publication' as publication`,
    [
      runId,
      JSON.stringify(manifest),
      manifestDigest,
      manifest.buildDigest,
      manifest.evaluated.commit,
      manifest.evaluated.packageVersion,
      hasBudget(manifest) ? JSON.stringify(manifest.runLimits) : null,
    ],
  );
  if (run === undefined) return false;
  await insertInstances(sql, freezing);
  await sql.query(`insert into events (run_id, type, data) values ($1, 'run.frozen', $2)`, [
    runId,
    JSON.stringify({ manifestDigest, instances: manifest.instances.length }),
  ]);
  const request = SubmitRequest.parse(run.request);
  // A plan says itself what follows; without one the suite does, for a release.
  if (!run.planned && request.release !== undefined) await insertChain(sql, runId, manifest.suite.chain);
  // A policy that says `off` is the end of it; what the other words allow is for the publisher to judge.
  if (run.publication !== 'off' && manifest.suite.publish !== 'none') {
    await insertPublication(sql, { runId, suite: manifest.suite.name }, request);
  }
  const payload: RunSubmittedMessage = { runId };
  await insertOutbox(sql, {
    topic: 'run.submitted',
    subject: freezing.names.runSubmitted(runId),
    messageId: `run.submitted:${runId}`,
    payload,
    runId,
    traceparent: run.traceparent,
  });
  return true;
}

interface FrozenRun {
  readonly request: unknown;
  readonly traceparent: string | null;
  /** It was made from a release by a policy. */
  readonly planned: boolean;
  readonly publication: string | null;
}

function hasBudget({ runLimits }: Manifest): boolean {
  return Object.values(runLimits).some((limit) => limit !== null);
}

async function insertInstances(sql: Sql, { runId, manifest, traceparentOf }: Freezing): Promise<void> {
  const ids = manifest.instances.map(({ id }) => id);
  await sql.query(
    `insert into instances (run_id, instance_id, position, state, traceparent)
     select $1, id, position - 1, 'QUEUED', traceparent
     from unnest($2::text[], $3::text[]) with ordinality as given (id, traceparent, position)`,
    [runId, ids, ids.map(traceparentOf)],
  );
}
