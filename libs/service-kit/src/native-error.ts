import { types } from 'node:util';

/** True for every error, those of other realms (test runners, DOMException) too, which `instanceof` misses. */
export function isError(error: unknown): error is Error {
  return error instanceof Error || types.isNativeError(error);
}

/** The `code` of a system error such as EADDRINUSE; null where there is none. */
export function codeOf(error: unknown): string | null {
  return isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
