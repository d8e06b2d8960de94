import { types } from 'node:util';
import { BlamedError, type FailureCode, InfraError } from '@assay/failures';
import { codeOf, diskFailure } from '../disk-failure';

/** What a call of the service failed of, and whether the same call may work in a moment. */
export interface S3Problem {
  readonly code: FailureCode;
  readonly passing: boolean;
  /** In words, without secrets. */
  readonly reason: string;
}

/** The service's own word for what is wrong, e.g. `SlowDown` or `NoSuchKey`, with its HTTP status; null: no answer. */
interface Answer {
  readonly name: string;
  readonly status: number | null;
}

/** An answer whose body ended before its end: `got` of `of` bytes. */
export class CutShort extends Error {
  constructor(got: number, of: number, cause?: unknown) {
    super(`the body ended after ${got} of ${of} bytes`, { cause });
  }
}

const FULL = /^(XMinioStorageFull|InsufficientStorage|.*QuotaExceeded.*)$/;
/** What a gateway to a file system says of its ENOSPC and EDQUOT, under a 500. */
const FULL_IN_WORDS = /no space left on device|disk quota exceeded/i;
const BUSY =
  /^(SlowDown|ServiceUnavailable|Throttling.*|TooManyRequests.*|RequestLimitExceeded|BandwidthLimitExceeded)$/;
/** What the bytes on the way did to a put: sent again they are right. */
const DAMAGED = new Set(['XAmzContentSHA256Mismatch', 'BadDigest', 'IncompleteBody', 'RequestTimeout']);
/** The local disk, not the network: the source of a put, or the target of a fetch. */
const DISK_CALLS = new Set(['open', 'read', 'write', 'fsync', 'rename', 'stat']);
/** What a broken connection says of `read` and `write`, and a disk never. */
const CONNECTION = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'ENOTCONN']);

/** Reads an error of the SDK, of its connection, or of reading a body. Error names are those of S3's own list. */
export function problemOf(error: unknown): S3Problem {
  if (error instanceof CutShort) return { code: 'store_cut_short', passing: true, reason: error.message };
  const { name, status } = answerOf(error);
  const reason = wordless(name) && status !== null ? `it answers ${status}` : `${name}: ${messageOf(error)}`;
  if (/^Credentials|^TokenProvider/.test(name)) return { code: 'store_denied', passing: false, reason };
  if (status === null) return { code: 'store_unreachable', passing: true, reason };
  if (name === 'NoSuchBucket') return { code: 'store_bucket_missing', passing: false, reason };
  if (status === 507 || FULL.test(name) || FULL_IN_WORDS.test(reason))
    return { code: 'store_full', passing: false, reason };
  if (status === 401 || status === 403) return { code: 'store_denied', passing: false, reason };
  if (status === 429 || status === 503 || BUSY.test(name)) return { code: 'store_busy', passing: true, reason };
  return { code: 'artifact_io', passing: status >= 500 || DAMAGED.has(name), reason };
}

/** A failure of ours for a call that failed for good. What has blame keeps it; the local disk is told from the store. */
export function storeFailure(message: string, error: unknown, details: Record<string, unknown>): BlamedError {
  if (error instanceof BlamedError) return error;
  if (isOfDisk(error)) return diskFailure(message, error, details);
  const { code, reason } = problemOf(error);
  const { name, status } = answerOf(error);
  return new InfraError(`${message}: ${reason}`, {
    code,
    phase: 'upload',
    details: { ...details, answer: name, status },
    cause: error,
  });
}

/** True where another try of the same call may end otherwise. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof BlamedError) && !isOfDisk(error) && problemOf(error).passing;
}

/** True for an object that is not there, in a bucket that is. */
export function isNoKey(error: unknown): boolean {
  return answerOf(error).name === 'NoSuchKey';
}

/** True for the bodiless 404 of a HEAD, which tells neither bucket nor object. */
export function isNotFound(error: unknown): boolean {
  const { name, status } = answerOf(error);
  return status === 404 && name !== 'NoSuchBucket';
}

function isOfDisk(error: unknown): boolean {
  if (!types.isNativeError(error) || !('syscall' in error)) return false;
  return DISK_CALLS.has(String(error.syscall)) && !CONNECTION.has(codeOf(error));
}

function answerOf(error: unknown): Answer {
  if (!types.isNativeError(error)) return { name: 'unknown', status: null };
  const { httpStatusCode } = ('$metadata' in error ? error.$metadata : {}) as { httpStatusCode?: number };
  const code = 'code' in error && error.name === 'Error' ? String(error.code) : error.name;
  return { name: code, status: httpStatusCode ?? null };
}

/** The answer to a HEAD has a status and no words; the SDK names it so. */
function wordless(name: string): boolean {
  return name === 'Unknown' || name === 'UnknownError';
}

function messageOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  if (error.message !== '') return error.message;
  // Node puts the reasons of a refused connection to a name with several addresses into `errors`.
  return error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : 'no reason given';
}
