import { type Counts, type InstanceState, type InstanceView, type RunView, type Timings } from '@assay/contracts';
import { traceIdOf } from '@assay/telemetry';
import type { TryRow } from './instance-history';
import type { InstanceRow } from './list-instances';
import type { RunRow } from './run-row';
import type { StateCounts } from './run-state-counts';

export interface ViewClock {
  readonly now: Date;
  readonly timings: Pick<Timings, 'stalledMs'>;
}

/** A run as the API shows it. */
export function runView(run: RunRow, states: StateCounts, clock: ViewClock): RunView {
  const { request } = run;
  return {
    runId: run.id,
    state: run.state,
    publicationState: run.publicationState,
    suite: run.suite,
    agent: run.agent ?? request.agent ?? null,
    model: request.model,
    evaluated: {
      ref: request.evaluated.ref,
      commit: run.evaluatedCommit ?? request.evaluated.commit ?? null,
      packageVersion: run.packageVersion ?? request.evaluated.packageVersion ?? null,
    },
    release: request.release ?? null,
    trigger: request.trigger,
    states,
    counts: countsFrom(states),
    lastError: run.lastError,
    failure: run.failure,
    stalled: isStalled(run, clock),
    traceId: traceId(run.traceparent),
    createdAt: run.createdAt.toISOString(),
    startedAt: iso(run.startedAt),
    finishedAt: iso(run.finishedAt),
    publicationReason: run.publicationReason,
    publicationRetryAt: iso(run.publicationRetryAt),
    publicationDifference: run.publicationDifference,
    result: run.result,
    chain: [...run.chain],
    chainOf: run.chainOf,
  };
}

/** An instance as the API shows it, with all its tries. */
export function instanceView(instance: InstanceRow): InstanceView {
  return {
    instanceId: instance.instanceId,
    sample: instance.sample,
    state: instance.state,
    attempts: instance.attempts,
    worker: instance.worker,
    nextTryAt: iso(instance.nextTryAt),
    failure: instance.failure,
    limit: instance.reachedLimit,
    suspicions: instance.suspicions,
    traceId: traceId(instance.traceparent),
    history: instance.history.map(tryView),
  };
}

function tryView({ grantedAt, startedAt, finishedAt, ...rest }: TryRow): InstanceView['history'][number] {
  return { ...rest, startedAt: (startedAt ?? grantedAt).toISOString(), finishedAt: iso(finishedAt) };
}

/** A run that nobody could serve for `stalledMs`; a paused one is not meant to be served. */
function isStalled({ servedAt, paused }: RunRow, { now, timings }: ViewClock): boolean {
  return servedAt !== null && !paused && now.getTime() - servedAt.getTime() > timings.stalledMs;
}

function countsFrom(states: StateCounts): Counts {
  const of = (state: InstanceState): number => states[state] ?? 0;
  return {
    total: Object.values(states).reduce((sum, n) => sum + n, 0),
    resolved: of('RESOLVED'),
    unresolved: of('UNRESOLVED'),
    executionError: of('EXECUTION_ERROR'),
    infraFailed: of('INFRA_FAILED'),
    cancelled: of('CANCELLED'),
  };
}

function traceId(traceparent: string | null): string | null {
  return traceparent === null ? null : traceIdOf(traceparent);
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
