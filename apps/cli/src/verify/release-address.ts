import { GitRef, Repository } from '@assay/contracts';

/** A release as a person names it. */
export interface ReleaseAddress {
  readonly repository: string;
  readonly tag: string;
}

/** `owner/name@tag`, or the address of the release's page. Null for what is neither. */
export function releaseAddress(text: string): ReleaseAddress | null {
  const short = /^([^@\s]+\/[^@\s/]+)@(\S+)$/.exec(text);
  const page = /^https:\/\/[^/]+\/([^/]+\/[^/]+)\/releases\/tag\/([^?#]+)/.exec(text);
  const [, repository, tag] = (text.includes('://') ? page : short) ?? [];
  if (repository === undefined || tag === undefined) return null;
  const name = decoded(tag);
  const valid = name !== null && Repository.safeParse(repository).success && GitRef.safeParse(name).success;
  return valid ? { repository, tag: name } : null;
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
