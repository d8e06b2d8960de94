import type { ReleaseTarget } from '@assay/contracts';
import { z } from 'zod';
import { GithubApi, type GithubAnswer } from './github-api.client';
import type { CommitAnswer, NotYet, ReleaseAnswer, ReleaseLookup, TagAnswer } from './release-lookup.port';

/** What is read of https://docs.github.com/en/rest/releases/releases#get-a-release-by-tag-name */
const Release = z.object({
  id: z.int().positive(),
  tag_name: z.string(),
  prerelease: z.boolean(),
  draft: z.boolean(),
  body: z.string().nullish(),
});

const GitObject = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/), type: z.string() });

/** What is read of https://docs.github.com/en/rest/git/refs#get-a-reference and of …/git/tags#get-a-tag */
const Ref = z.object({ ref: z.string(), object: GitObject });
const Tag = z.object({ object: GitObject });

/** Tags that stand for tags: more than so many, one upon the other, are nobody's release. */
const DEEPEST = 5;

/** Looks releases and tags up in GitHub's REST API. */
export class GithubReleaseClient implements ReleaseLookup {
  private readonly api: GithubApi;

  /**
   * @param url root of the API, e.g. `https://api.github.com`
   * @param token null: anonymous, which sees public repositories only
   */
  constructor(url: string, token: string | null) {
    this.api = new GithubApi(url, token);
  }

  async look({ repository, id, tag }: ReleaseTarget, signal: AbortSignal): Promise<ReleaseAnswer> {
    const about = `release ${tag} (${id}) of ${repository}`;
    const found = await this.api.ask({ repository, path: `/releases/${id}`, about }, Release, signal);
    if (found.answer === 'missing') return { answer: 'missing', reason: `${about} is not there` };
    if (found.answer === 'away') return notYet(found);
    if (found.value.tag_name === tag) return { answer: 'there' };
    const reason = `release ${id} of ${repository} has the tag ${found.value.tag_name}, not ${tag}`;
    return { answer: 'wrong', reason };
  }

  async byTag(repository: string, tag: string, signal: AbortSignal): Promise<TagAnswer> {
    const path = `/releases/tags/${encodeURIComponent(tag)}`;
    const found = await this.api.ask({ repository, path, about: `release ${tag} of ${repository}` }, Release, signal);
    if (found.answer === 'missing') return found;
    if (found.answer === 'away') return notYet(found);
    const { id, tag_name, prerelease, draft, body } = found.value;
    if (tag_name !== tag) return { answer: 'missing' };
    return { answer: 'there', release: { id, tag, prerelease, draft, body: body ?? '' } };
  }

  async commitOf(repository: string, tag: string, signal: AbortSignal): Promise<CommitAnswer> {
    const about = `tag ${tag} of ${repository}`;
    const missing = { answer: 'missing', reason: `${about} is not there` } as const;
    const path = `/git/ref/tags/${tag.split('/').map(encodeURIComponent).join('/')}`;
    const ref = await this.api.ask({ repository, path, about }, Ref, signal);
    if (ref.answer === 'missing') return missing;
    if (ref.answer === 'away') return notYet(ref);
    if (ref.value.ref !== `refs/tags/${tag}`) return missing;
    let { sha, type } = ref.value.object;
    for (let depth = 0; type === 'tag'; depth += 1) {
      if (depth === DEEPEST)
        return { answer: 'wrong', reason: `${about} is a tag of a tag, more than ${DEEPEST} deep` };
      const step = await this.api.ask({ repository, path: `/git/tags/${sha}`, about }, Tag, signal);
      if (step.answer === 'missing') return missing;
      if (step.answer === 'away') return notYet(step);
      ({ sha, type } = step.value.object);
    }
    return type === 'commit'
      ? { answer: 'there', commit: sha }
      : { answer: 'wrong', reason: `${about} stands for a ${type}, not for a commit` };
  }
}

function notYet({ reason, retryAfterSeconds }: Extract<GithubAnswer<unknown>, { answer: 'away' }>): NotYet {
  return { answer: 'not_yet', reason, retryAfterSeconds };
}
