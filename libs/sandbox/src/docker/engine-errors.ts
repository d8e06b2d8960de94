import { InfraError, type BlamedError } from '@assay/failures';
import type { Phase } from '@assay/contracts';

/** The engine's HTTP status of a failed call; null when it was no answer at all. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
}

/** What the engine could not do, as our fault: a full disk and an engine that is away have codes of their own. */
export function engineFailure(what: string, cause: unknown, phase: Phase): InfraError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const code = /no space left on device/i.test(reason)
    ? 'disk_full'
    : statusOf(cause) === null
      ? 'engine_unavailable'
      : 'engine_failed';
  return new InfraError(`${what}: ${reason}`, { code, phase, details: { status: statusOf(cause) }, cause });
}

/** Runs a call of the engine; its failure becomes an InfraError, one with blame stays as it is. */
export async function engine<T>(what: string, phase: Phase, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isBlamed(error)) throw error;
    throw engineFailure(what, error, phase);
  }
}

function isBlamed(error: unknown): error is BlamedError {
  return error instanceof Error && 'blame' in error;
}
