import { Digest, InstanceState, isGradeOnly, type RunId } from '@assay/contracts';
import { decideGate, type GateDecision } from '@assay/scoring';
import { settleChain } from '../chain/settle-chain';
import type { Sql } from '../database';
import { openPublication } from './open-publication';
import { publicResult, type EndedInstance, type EndedRun } from './public-result';
import { runUsage } from './run-usage';
import type { WorkProtocol } from './work-protocol';

/** How a run ended. */
export interface FinishedRun {
  readonly runId: RunId;
  readonly state: GateDecision['status'];
  readonly counts: GateDecision['counts'];
  readonly reasons: GateDecision['reasons'];
}

/**
 * Decides a run whose instances are all terminal: gate, result, and the publication if its suite publishes. Everything is
 * derived from rows. The caller's transaction holds the run's row (see lockWork), so one transaction alone is the last.
 * Null while an instance is open, or when the run was decided before.
 */
export async function finishRunIfDone(sql: Sql, runId: RunId, protocol: WorkProtocol): Promise<FinishedRun | null> {
  const [run] = await sql.query<EndedRun & { manifest_digest: string }>(
    `select request, traceparent, started_at, manifest_digest, budget_reached, now() as now from runs
     where id = $1 and state in ('QUEUED', 'RUNNING') and not exists (
       select 1 from instances where run_id = $1
         and state not in ('RESOLVED','UNRESOLVED','EXECUTION_ERROR','INFRA_FAILED','CANCELLED'))
     for no key update`,
    [runId],
  );
  if (run === undefined) return null;
  const { manifest } = await protocol.manifests.of(sql, runId, run.manifest_digest);
  const instances = await endedInstances(sql, runId);
  const decision = decideGate({
    instances: instances.map((one) => ({
      id: one.sample === 0 ? one.instance_id : `${one.instance_id}#${one.sample}`,
      state: InstanceState.parse(one.state),
      hasResult: one.has_result,
      hasTrajectory: one.has_trajectory,
      suspicions: one.suspicions,
    })),
    policy: {
      ...manifest.suite,
      expectedInstances: manifest.instances.length,
      gradeOnly: isGradeOnly(manifest),
      budgetReached: run.budget_reached,
    },
  });
  const frozen = { manifest, manifestDigest: Digest.parse(run.manifest_digest) };
  const result = publicResult(runId, run, frozen, instances, decision, await runUsage(sql, runId));
  await sql.query(
    `with ended as (
       update runs set state = $2, result = $3, finished_at = now() where id = $1 returning id
     )
     insert into events (run_id, type, data) select id, 'run.terminal', $4 from ended`,
    [
      runId,
      decision.status,
      JSON.stringify(result),
      JSON.stringify({ state: decision.status, counts: decision.counts, reasons: decision.reasons }),
    ],
  );
  await openPublication(sql, runId, run.traceparent, protocol);
  await settleChain(sql, runId);
  return { runId, state: decision.status, counts: decision.counts, reasons: decision.reasons };
}

function endedInstances(sql: Sql, runId: RunId): Promise<EndedInstance[]> {
  return sql.query<EndedInstance>(
    `select i.instance_id, i.sample, i.state, i.attempts, i.failure ->> 'code' as failure_code, i.reached_limit,
       i.suspicions,
       exists (select 1 from grades g where g.attempt_id = i.attempt_id and g.verdict is not null) as has_result,
       exists (select 1 from artifacts a where a.attempt_id = i.attempt_id and a.name = 'trajectory') as has_trajectory
     from instances i where i.run_id = $1 order by i.position, i.sample`,
    [runId],
  );
}
