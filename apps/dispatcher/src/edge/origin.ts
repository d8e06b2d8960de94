import { createHash } from 'node:crypto';
import type { DispatchRequest, OriginPrincipal, ReleasePlan, RunOrigin, SubmitRequest } from '@assay/contracts';
import type { Principal } from '../auth/principal';
import type { FoundRelease } from '../releases/release-lookup.port';

/** Everything that made a release into a run. */
export interface Admitted {
  readonly request: DispatchRequest;
  readonly principal: Principal;
  readonly release: FoundRelease;
  readonly rule: string;
  readonly plan: ReleasePlan;
  readonly package: RunOrigin['package'];
  readonly expectedInstances: number | null;
  readonly chainInstances: readonly (number | null)[];
}

/** What is kept with the run for good. */
export function originOf({ release, principal, chainInstances, ...rest }: Admitted): RunOrigin {
  const { id, tag, prerelease, draft, body } = release;
  const bodyDigest = createHash('sha256').update(body).digest('hex');
  return {
    schemaVersion: 'assay.origin/1',
    ...rest,
    release: { id, tag, prerelease, draft, bodyDigest },
    principal: provedBy(principal),
    chainInstances: [...chainInstances],
  };
}

/** The run that it becomes: commit and version are the poller's to find. */
export function submissionOf({ request, release, plan }: Admitted, defaultModel: string): SubmitRequest {
  const { maxAttempts, backoffSeconds, githubRunUrl } = request;
  const { limit, instanceId } = plan;
  return {
    suite: plan.suite,
    evaluated: { ref: plan.evaluatedRef },
    model: request.model ?? defaultModel,
    trigger: request.event,
    release: { repository: request.repository, id: release.id, tag: release.tag },
    ...(limit === null ? {} : { limit }),
    ...(instanceId === null ? {} : { instanceId }),
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(backoffSeconds === undefined ? {} : { backoffSeconds }),
    ...(githubRunUrl === undefined ? {} : { githubRunUrl }),
  };
}

function provedBy(principal: Principal): OriginPrincipal {
  switch (principal.kind) {
    case 'deployment':
      return { kind: 'deployment' };
    case 'service':
      return { kind: 'service', tokenId: principal.tokenId, name: principal.name };
    case 'workflow':
      return { ...principal };
  }
}
