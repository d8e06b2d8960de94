import { types } from 'node:util';
import { BlamedError, InfraError } from '@assay/failures';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** A file system's error as a failure of ours: `disk_full` where there was no room, else `artifact_io`. */
export function diskFailure(message: string, error: unknown, details: Record<string, unknown>): BlamedError {
  if (error instanceof BlamedError) return error;
  const code = codeOf(error);
  const full = FULL.has(code);
  return new InfraError(`${message}: ${full ? 'the disk is full' : reason(error)}`, {
    code: full ? 'disk_full' : 'artifact_io',
    phase: 'upload',
    details: { ...details, errno: code },
    cause: error,
  });
}

/** True for an error that says that a file is not there. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** The system's code of an error, such as `ENOENT`; empty for an error that has none. */
export function codeOf(error: unknown): string {
  return types.isNativeError(error) && 'code' in error ? String(error.code) : '';
}

function reason(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}
