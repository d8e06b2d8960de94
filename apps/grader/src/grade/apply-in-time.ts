import type { GradeSpec } from '@assay/contracts';
import { type BlamedError, InfraError, TaskError } from '@assay/failures';

/** A patch gets as long as the tests may take, but never less or more than this; the sandbox lives twice as long. Seconds. */
const LEAST_SECONDS = 120;
const MOST_SECONDS = 900;

export interface ApplyBound {
  readonly origin: GradeSpec['patchOrigin'];
  /** Seconds. */
  readonly seconds: number;
  /** Of the grade. */
  readonly signal: AbortSignal;
}

/** What applying a patch may take in a grade whose tests may take `testSeconds`. Seconds. */
export function applySeconds(testSeconds: number): number {
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, testSeconds));
}

/**
 * Applies a patch within its bound. Ends at once at the bound and when the grade's signal is raised, also where `apply`
 * waits for something that hears of neither.
 * @throws TaskError or InfraError `patch_apply_timed_out`, by the patch's origin; the reason of the grade's signal
 */
export async function applyInTime<T>(bound: ApplyBound, apply: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => {
    over.abort(timedOut(bound));
  }, bound.seconds * 1_000);
  const signal = AbortSignal.any([bound.signal, over.signal]);
  let onAbort: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([apply(signal), ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** The patch of a trial had been applied to the same tree before, and its size has a bound: then this place is slow. */
function timedOut({ origin, seconds }: ApplyBound): BlamedError {
  const options = { code: 'patch_apply_timed_out', phase: 'grade', details: { seconds } } as const;
  return origin === 'trial'
    ? new InfraError(`the patch of the trial was not applied within ${seconds} s`, options)
    : new TaskError(`the prediction was not applied within ${seconds} s`, options);
}
