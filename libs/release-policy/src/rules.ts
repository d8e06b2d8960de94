import { matchesPattern } from './patterns/match-pattern';
import type { ReleasePolicy, ReleaseRule, RepositoryPolicy } from './policy.schema';

/** A release as GitHub tells it. */
export interface ReleaseFacts {
  readonly tag: string;
  readonly prerelease: boolean;
  readonly draft: boolean;
}

/** What the policy says of a repository; like GitHub, it looks away from the case of names. */
export function repositoryPolicy(policy: ReleasePolicy, repository: string): RepositoryPolicy | null {
  const wanted = repository.toLowerCase();
  return policy.repositories.find(({ name }) => name.toLowerCase() === wanted) ?? null;
}

/** The first rule that takes a published release. */
export function ruleForRelease(repository: RepositoryPolicy, release: ReleaseFacts): ReleaseRule | null {
  const rules = repository.rules.filter((rule) => rule.event === 'release');
  return rules.find((rule) => rule.prerelease === release.prerelease && matchesPattern(rule.tag, release.tag)) ?? null;
}

/** A tag in a sentence: quoted, its odd characters escaped, at most 100 characters of it. */
export function shownTag(tag: string): string {
  const text = JSON.stringify(tag.length > 100 ? `${tag.slice(0, 100)}…` : tag);
  return text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
