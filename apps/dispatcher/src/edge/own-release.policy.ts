import type { DispatchRequest } from '@assay/contracts';
import { type Principal, repositoryOf } from '../auth/principal';

export type OwnAnswer =
  | { readonly answer: 'own' }
  | {
      readonly answer: 'refused';
      readonly reason: 'other_repository' | 'event_not_own' | 'tag_not_own';
      readonly message: string;
    };

/**
 * Whether a caller may hand this in: a workflow only what its token proves (repository, event, and for a release the tag
 * that it runs on), whoever holds a token only by hand, since nothing proves an event of theirs. That the tag still stands
 * for the commit in the token is looked at when the run is frozen.
 */
export function ownRelease(principal: Principal, request: DispatchRequest): OwnAnswer {
  const { event, repository, releaseTag } = request;
  const own = repositoryOf(principal);
  if (own !== null && own.toLowerCase() !== repository.toLowerCase()) {
    return refused('other_repository', `the token is for releases of ${own} only, not of ${repository}`);
  }
  if (principal.kind !== 'workflow') {
    if (event === 'manual') return { answer: 'own' };
    return refused('event_not_own', `only a workflow can say that it was started by ${event}: expected manual`);
  }
  if (event !== principal.eventName) {
    return refused('event_not_own', `the workflow was started by ${principal.eventName}, not by ${event}`);
  }
  const ref = `refs/tags/${releaseTag}`;
  if (event === 'release' && principal.ref !== ref) {
    return refused('tag_not_own', `the workflow runs on ${principal.ref}, not on ${ref}`);
  }
  return { answer: 'own' };
}

function refused(reason: Extract<OwnAnswer, { answer: 'refused' }>['reason'], message: string): OwnAnswer {
  return { answer: 'refused', reason, message };
}
