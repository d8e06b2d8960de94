import { InfraError } from '@assay/failures';

const ACCEPTED = [2, 9, 10] as const;
const WANTED = [2, 10, 4] as const;

/**
 * Null for a server that is as wanted, a sentence of warning for one that is accepted (2.9.10 ignores a terminate with a
 * reason, and brought back acknowledged messages after a kill: PostgreSQL turns them away).
 * @throws InfraError `nats_too_old` below 2.9.10: nothing older was tried
 */
export function checkServerVersion(version: string): string | null {
  if (compare(version, ACCEPTED) < 0) {
    throw new InfraError(`nats-server ${version} is older than ${ACCEPTED.join('.')}, the oldest accepted`, {
      code: 'nats_too_old',
      phase: 'dispatch',
      details: { version },
    });
  }
  return compare(version, WANTED) < 0
    ? `nats-server is older than ${WANTED.join('.')}: accepted, not recommended`
    : null;
}

/** Negative if `version` is before `other`. A pre-release counts as its release. */
function compare(version: string, other: readonly number[]): number {
  const parts = version
    .split(/[.-]/)
    .slice(0, 3)
    .map((part) => Number.parseInt(part, 10) || 0);
  const at = other.findIndex((part, index) => part !== parts[index]);
  return at === -1 ? 0 : (parts[at] ?? 0) - (other[at] ?? 0);
}
