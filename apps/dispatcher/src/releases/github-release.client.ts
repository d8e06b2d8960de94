import type { ReleaseTarget } from '@assay/contracts';
import { reasonOf } from '@assay/service-kit';
import { z } from 'zod';
import type { ReleaseAnswer, ReleaseLookup } from './release-lookup.port';

const TIMEOUT_MS = 10_000;

/** What is read of https://docs.github.com/en/rest/releases/releases#get-a-release */
const Release = z.object({ id: z.int(), tag_name: z.string() });

/** Looks releases up in GitHub's REST API. */
export class GithubReleaseClient implements ReleaseLookup {
  /**
   * @param url root of the API, e.g. `https://api.github.com`
   * @param token null: anonymous, which sees public repositories only
   */
  constructor(
    private readonly url: string,
    private readonly token: string | null,
  ) {}

  async look(release: ReleaseTarget, signal: AbortSignal): Promise<ReleaseAnswer> {
    const [owner = '', name = ''] = release.repository.split('/');
    const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/releases/${release.id}`;
    try {
      const answer = await fetch(`${this.url.replace(/\/+$/, '')}${path}`, {
        headers: {
          accept: 'application/vnd.github+json',
          'user-agent': 'assay-dispatcher',
          'x-github-api-version': '2022-11-28',
          ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      return await judged(release, answer);
    } catch (error) {
      return notYet(`GitHub cannot be asked about release ${label(release)}: ${reasonOf(error)}`);
    }
  }
}

async function judged(release: ReleaseTarget, answer: Response): Promise<ReleaseAnswer> {
  if (!answer.ok) {
    await answer.body?.cancel();
    if (answer.status === 404) return notYet(`release ${label(release)} is not there`);
    return notYet(
      `GitHub answers ${answer.status} when asked about release ${label(release)}`,
      retryAfterSeconds(answer.headers, Date.now()),
    );
  }
  const found = Release.parse(await answer.json());
  if (found.tag_name === release.tag) return { answer: 'there' };
  return {
    answer: 'wrong',
    reason: `release ${release.id} of ${release.repository} has the tag ${found.tag_name}, not ${release.tag}`,
  };
}

/**
 * Seconds that GitHub asks to stay away: `retry-after`, else until `x-ratelimit-reset` when nothing remains
 * (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
 */
function retryAfterSeconds(headers: Headers, now: number): number | null {
  const after = headers.get('retry-after') ?? '';
  if (/^\d{1,6}$/.test(after)) return Number(after);
  const reset = headers.get('x-ratelimit-reset') ?? '';
  if (headers.get('x-ratelimit-remaining') !== '0' || !/^\d{1,12}$/.test(reset)) return null;
  return Math.min(3_600, Math.max(0, Math.ceil(Number(reset) - now / 1_000)));
}

function label({ repository, id, tag }: ReleaseTarget): string {
  return `${tag} (${id}) of ${repository}`;
}

function notYet(reason: string, retryAfterSeconds: number | null = null): ReleaseAnswer {
  return { answer: 'not_yet', reason, retryAfterSeconds };
}
