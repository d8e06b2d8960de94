import type { PublicationSpec } from '@assay/contracts';
import type { Release } from '@assay/github';
import { mayPublish, type PublishAnswer, type PublishFacts, type ReleasePolicy } from '@assay/release-policy';

/**
 * Whether this result may be written on this release, as GitHub shows it now: the dispatcher's gate once more, so that
 * neither a mistake in a submission nor a change of the release leads to a number where it does not belong.
 * @param policy null: none is configured. Then any release may be written to, but a stable one only with the result of its
 *   own tag, from a run that the release started itself
 */
export function permission(release: Release, { result }: PublicationSpec, policy: ReleasePolicy | null): PublishAnswer {
  const facts: PublishFacts = {
    trigger: triggerOf(result.trigger),
    repository: release.repository,
    release: { tag: release.tag, prerelease: release.prerelease, draft: release.draft },
    evaluatedRef: result.evaluated.ref,
  };
  return policy === null ? withoutPolicy(facts) : mayPublish(facts, policy);
}

function withoutPolicy({ release, trigger, evaluatedRef }: PublishFacts): PublishAnswer {
  if (release.prerelease) return { answer: 'write', reason: null };
  if (trigger !== 'release') return no('a run that a person started is published on prereleases only');
  if (evaluatedRef !== release.tag)
    return no(`${evaluatedRef} was evaluated, and the stable release is ${release.tag}`);
  return { answer: 'write', reason: null };
}

function no(reason: string): PublishAnswer {
  return { answer: 'no', reason };
}

/** What is not known to be started by a release counts as started by a person. */
function triggerOf(trigger: string): PublishFacts['trigger'] {
  return trigger === 'release' || trigger === 'workflow_dispatch' ? trigger : 'manual';
}
