import {
  InstanceId,
  InstanceState,
  isGradeOnly,
  SubmitRequest,
  type Digest,
  type Manifest,
  type PublicResult,
  type RunBudget,
  type RunId,
  type RunUsage,
} from '@assay/contracts';
import type { GateDecision } from '@assay/scoring';
import { parseTraceparent } from '@assay/telemetry';

/** An instance as the gate and the public result see it. */
export interface EndedInstance {
  readonly instance_id: string;
  readonly sample: number;
  readonly state: string;
  readonly attempts: number;
  readonly failure_code: string | null;
  readonly reached_limit: string | null;
  readonly suspicions: readonly string[];
  readonly has_result: boolean;
  readonly has_trajectory: boolean;
}

/** A run's row, as far as the public result needs it. */
export interface EndedRun {
  readonly request: unknown;
  readonly traceparent: string | null;
  readonly started_at: Date | null;
  readonly budget_reached: RunBudget | null;
  readonly now: Date;
}

/** What the public may know of a finished run; everything in it is frozen or decided. */
export function publicResult(
  runId: RunId,
  run: EndedRun,
  { manifest, manifestDigest }: { manifest: Manifest; manifestDigest: Digest },
  instances: readonly EndedInstance[],
  decision: GateDecision,
  usage: RunUsage,
): PublicResult {
  const request = SubmitRequest.parse(run.request);
  const { suite, dataset, evaluated, agent, model, limits, retry, grader, sandbox } = manifest;
  return {
    schemaVersion: 'assay.result/1',
    runId,
    status: decision.status,
    suite: suite.name,
    title: suite.title,
    publish: suite.publish,
    benchmarkSize: suite.benchmarkSize,
    dataset,
    evaluated,
    agent: { name: agent.name, version: agent.version },
    model: model.name,
    limits: { wallSeconds: limits.wallSeconds, turns: limits.turns, cpus: limits.cpus, memoryMb: limits.memoryMb },
    maxAttempts: retry.maxAttempts,
    graderVersion: grader.version,
    graderNetwork: grader.network,
    sandbox,
    manifestDigest,
    release:
      request.release === undefined ? null : { repository: request.release.repository, tag: request.release.tag },
    trigger: request.trigger,
    githubRunUrl: request.githubRunUrl ?? null,
    traceId: run.traceparent === null ? null : (parseTraceparent(run.traceparent)?.traceId ?? null),
    counts: decision.counts,
    score: decision.score,
    gate: {
      kind: suite.kind,
      expectedInstances: manifest.instances.length,
      errorThreshold: suite.errorThreshold,
      forgedMarker: suite.forgedMarker,
      gradeOnly: isGradeOnly(manifest),
      budgetReached: run.budget_reached,
    },
    reasons: decision.reasons,
    usage,
    startedAt: run.started_at?.toISOString() ?? null,
    finishedAt: run.now.toISOString(),
    instances: instances.map((one) => ({
      id: InstanceId.parse(one.instance_id),
      sample: one.sample,
      state: InstanceState.parse(one.state),
      attempts: one.attempts,
      failure: one.failure_code,
      limit: one.reached_limit,
      suspicions: [...one.suspicions],
      hasResult: one.has_result,
      hasTrajectory: one.has_trajectory,
    })),
  };
}
