import { GitRef } from '@assay/contracts';
import { matchesPattern } from './patterns/match-pattern';
import type { RepositoryPolicy } from './policy.schema';

/**
 * What the first line of a prerelease's notes that is an override names; null if there is none. The whole line counts,
 * with its case: key, colon, white space, what the pattern takes, white space. Lines end in LF; the CR of a CRLF is
 * white space, as it is for grep.
 */
export function overriddenRef(body: string, override: RepositoryPolicy['override']): string | null {
  if (override === null) return null;
  const prefix = `${override.key}:`;
  for (const line of body.split('\n')) {
    if (!line.startsWith(prefix)) continue;
    const value = trimSpace(line.slice(prefix.length));
    if (matchesPattern(override.pattern, value)) return value;
  }
  return null;
}

/** Whether a tag or ref has only characters that may stand in one, and no `..`. */
export function isRef(text: string): boolean {
  return GitRef.safeParse(text).success;
}

/** The version of the package that a ref such as `v1.2.3` or `1.2.3-preview.0` names; null for any other ref. */
export function packageVersionOf(ref: string): string | null {
  return /^v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/.exec(ref)?.[1] ?? null;
}

/** Without the white space of `[[:space:]]` at both ends: no other, such as U+00A0. */
function trimSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text.charAt(start))) start += 1;
  while (end > start && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSpace(unit: string): boolean {
  return ' \t\r\v\f'.includes(unit);
}
