import { GitRef, Repository } from '@assay/contracts';

/** A release as a person names it. */
export interface ReleaseAddress {
  readonly repository: string;
  readonly tag: string;
  /** Root of the API, where the address itself says it: a stand-in on this machine has pages and API at one place. Else null. */
  readonly api: string | null;
}

const PAGE = /^https:\/\/[^/]+\/([^/]+\/[^/]+)\/releases\/tag\/([^?#]+)/;
const LOCAL_PAGE = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/([^/]+\/[^/]+)\/releases\/tag\/([^?#]+)/;

/**
 * `owner/name@tag`, or the address of the release's page: https, or http on this machine, as `npm start` prints it. Null for
 * what is neither.
 */
export function releaseAddress(text: string): ReleaseAddress | null {
  const short = /^([^@\s]+\/[^@\s/]+)@(\S+)$/.exec(text);
  const local = LOCAL_PAGE.exec(text);
  const [, repository, tag] = (text.includes('://') ? (local ?? PAGE.exec(text)) : short) ?? [];
  if (repository === undefined || tag === undefined) return null;
  const name = decoded(tag);
  const valid = name !== null && Repository.safeParse(repository).success && GitRef.safeParse(name).success;
  return valid ? { repository, tag: name, api: local === null ? null : new URL(text).origin } : null;
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
