import { assertNever } from '@assay/contracts';
import { isRef } from './evaluated-ref';
import { matchesPattern } from './patterns/match-pattern';
import type { ReleasePolicy, RepositoryPolicy } from './policy.schema';
import { type ReleaseFacts, repositoryPolicy, ruleForRelease, shownTag } from './rules';

export interface PublishFacts {
  /** What started the run. */
  readonly trigger: 'release' | 'workflow_dispatch' | 'manual';
  /** `owner/name`. */
  readonly repository: string;
  /** As GitHub tells it now. */
  readonly release: ReleaseFacts;
  readonly evaluatedRef: string;
}

export interface PublishAnswer {
  readonly answer: 'write' | 'dry_run' | 'no';
  /** Why nothing is written; null if it is. */
  readonly reason: string | null;
}

/**
 * The gate again, just before a result is written: the release may have changed since, and a run by hand may aim
 * anywhere.
 */
export function mayPublish(facts: PublishFacts, policy: ReleasePolicy): PublishAnswer {
  const repository = repositoryPolicy(policy, facts.repository);
  if (repository === null) return no(`the policy has no repository ${shownTag(facts.repository)}`);
  const refusal = unwritable(facts.release) ?? foreign(facts, repository);
  if (refusal !== null) return no(refusal);
  const { publication } = policy;
  switch (publication) {
    case 'off':
      return no('publication is off');
    case 'dry-run':
      return { answer: 'dry_run', reason: 'publication is a dry run' };
    case 'prerelease':
      return facts.release.prerelease ? WRITE : no('publication is for prereleases only');
    case 'all':
      return WRITE;
    default:
      return assertNever(publication);
  }
}

const WRITE: PublishAnswer = { answer: 'write', reason: null };

function no(reason: string): PublishAnswer {
  return { answer: 'no', reason };
}

function unwritable({ tag, draft }: ReleaseFacts): string | null {
  if (!isRef(tag)) return `the tag ${shownTag(tag)} is not one that a release under test may have`;
  return draft ? `the release ${shownTag(tag)} is a draft` : null;
}

/** Why a run of this kind does not belong on this release. */
function foreign({ trigger, release, evaluatedRef }: PublishFacts, repository: RepositoryPolicy): string | null {
  if (!release.prerelease && trigger !== 'release') {
    return 'a run that a person started is published on prereleases only';
  }
  if (!release.prerelease && evaluatedRef !== release.tag) {
    return `the release tag ${shownTag(release.tag)} is not the evaluated ref ${shownTag(evaluatedRef)}`;
  }
  if (ruleForRelease(repository, release) !== null) return null;
  const targets = trigger === 'release' ? [] : (repository.dispatch?.targets ?? []);
  if (targets.some((pattern) => matchesPattern(pattern, release.tag))) return null;
  return `the release ${shownTag(release.tag)} belongs to no family of ${repository.name}`;
}
