import { RunOrigin, type RunId, SubmitRequest } from '@assay/contracts';
import { chainedKey } from '@assay/lifecycle';
import type { Submission } from '../runs/insert-submission';

/** A link of a chain, and the run that the chain belongs to. */
export interface HeadRow {
  readonly suite: string;
  readonly position: number;
  readonly suite_limit: number | null;
  readonly instance_id: string | null;
  readonly repository: string;
  readonly idempotency_key: string;
  readonly request: unknown;
  readonly origin: unknown;
  readonly evaluated_commit: string | null;
  readonly package_version: string | null;
  readonly traceparent: string | null;
}

/**
 * What a link of a chain is submitted as: the release, the evaluated commit and version, the model and the retry rules are
 * those of the first run; suite, limit and instance are its own.
 */
export function chainedSubmission(head: HeadRow, runId: RunId): Submission {
  const { suite, suite_limit: limit, instance_id: instanceId } = head;
  const { evaluated, limit: _limit, instanceId: _instance, ...kept } = SubmitRequest.parse(head.request);
  const commit = head.evaluated_commit ?? evaluated.commit;
  const packageVersion = head.package_version ?? evaluated.packageVersion;
  const request = SubmitRequest.parse({
    ...kept,
    suite,
    evaluated: {
      ref: evaluated.ref,
      ...(commit === undefined ? {} : { commit }),
      ...(packageVersion === undefined ? {} : { packageVersion }),
    },
    ...(limit === null ? {} : { limit }),
    ...(instanceId === null ? {} : { instanceId }),
  });
  return {
    runId,
    repository: head.repository,
    idempotencyKey: chainedKey(head.idempotency_key, suite),
    request,
    origin: head.origin === null ? null : originOf(RunOrigin.parse(head.origin), head),
    traceparent: head.traceparent,
  };
}

/** The release and who handed it in are the first run's; the plan is this link's alone. */
function originOf(origin: RunOrigin, { suite, position, suite_limit, instance_id }: HeadRow): RunOrigin {
  return RunOrigin.parse({
    ...origin,
    plan: { ...origin.plan, suite, limit: suite_limit, instanceId: instance_id, chain: [] },
    expectedInstances: origin.chainInstances[position] ?? null,
    chainInstances: [],
  });
}
