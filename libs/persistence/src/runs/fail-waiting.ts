import { type FailedResult, type Names, type RunFailure, type RunId, SubmitRequest } from '@assay/contracts';
import { publicCause } from '@assay/scoring';
import { traceIdOf } from '@assay/telemetry';
import type { Sql } from '../database';
import { openPublication } from '../work/open-publication';
import { insertPublication } from './insert-publication';

/** What is known of a suite that a run was to be measured with. */
export interface FailedSuite {
  readonly title: string;
  /** False: the suite publishes nothing. */
  readonly publishes: boolean;
}

export interface Failing {
  readonly runId: RunId;
  readonly failure: RunFailure;
  /** Null: unknown or broken, which is often the very reason. Then the result is published under the suite's name. */
  readonly suite: FailedSuite | null;
  /** The deployment's subjects. */
  readonly names: Names;
}

/**
 * Ends a WAITING run that can never be measured, with the reason: state, event, the result that the public may read, and
 * (where the run has a release and its publication is wanted) what tells it there, all of it or nothing. Must run inside a
 * transaction. False when it is no longer WAITING.
 */
export async function failWaiting(sql: Sql, failing: Failing): Promise<boolean> {
  const { runId, failure, suite, names } = failing;
  const [run] = await sql.query<FailedRun>(
    `with failed as (
       update runs set state = 'FAILED', last_error = $2, failure = jsonb_build_object('code', $3::text, 'message', $2::text),
         next_at = null, finished_at = now()
       where id = $1 and state = 'WAITING'
       returning id, request, suite, traceparent, created_at, finished_at, evaluated_commit, package_version,
         origin -> 'plan' ->> 'publication' as publication
     ),
     noted as (
       insert into events (run_id, type, data)
       select id, 'run.failed', jsonb_build_object('code', $3::text, 'error', $2::text) from failed
     )
     select * from failed`,
    [runId, failure.message, failure.code],
  );
  if (run === undefined) return false;
  const request = SubmitRequest.parse(run.request);
  const result = failedResult(run, request, failing);
  await sql.query('update runs set result = $2 where id = $1', [runId, JSON.stringify(result)]);
  if (run.publication === 'off' || suite?.publishes === false) return true;
  await insertPublication(sql, { runId, suite: run.suite }, request);
  await openPublication(sql, runId, run.traceparent, { names });
  return true;
}

interface FailedRun {
  readonly request: unknown;
  readonly suite: string;
  readonly traceparent: string | null;
  readonly created_at: Date;
  readonly finished_at: Date;
  readonly evaluated_commit: string | null;
  readonly package_version: string | null;
  readonly publication: string | null;
}

function failedResult(run: FailedRun, request: SubmitRequest, { runId, failure, suite }: Failing): FailedResult {
  const { evaluated, release, model, trigger, githubRunUrl } = request;
  return {
    schemaVersion: 'assay.result/1',
    runId,
    status: 'FAILED',
    suite: run.suite,
    title: suite?.title ?? run.suite,
    evaluated: {
      ref: evaluated.ref,
      commit: run.evaluated_commit ?? evaluated.commit ?? null,
      packageVersion: run.package_version ?? evaluated.packageVersion ?? null,
    },
    model,
    release: release === undefined ? null : { repository: release.repository, tag: release.tag },
    trigger,
    githubRunUrl: githubRunUrl ?? null,
    traceId: run.traceparent === null ? null : traceIdOf(run.traceparent),
    failure: { code: failure.code, message: publicCause(failure.message) },
    submittedAt: run.created_at.toISOString(),
    finishedAt: run.finished_at.toISOString(),
  };
}
