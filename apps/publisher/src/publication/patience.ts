import { setTimeout as wait } from 'node:timers/promises';
import { isTransient, retryAfterMs } from '@assay/github';

/** Longer waits are left to the coordinator, which gives the publication out again. */
const LONGEST_WAIT_MS = 300_000;
const TRIES = 5;

export interface Patience {
  /** Ends a wait with its reason. */
  readonly signal: AbortSignal;
  /** Milliseconds before the second try after a passing failure; doubles from try to try. */
  readonly firstPauseMs: number;
  readonly onWait: (error: unknown, ms: number) => void;
}

/**
 * Does `work` from its beginning again where GitHub asks to wait, or does not answer: every try reads the release anew,
 * so nothing is written that rests on a look from before the wait.
 */
export async function patiently<T>(work: () => Promise<T>, { signal, firstPauseMs, onWait }: Patience): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const ms = pauseAfter(error, firstPauseMs * 2 ** (tries - 1));
      if (ms === null || tries >= TRIES) throw error;
      onWait(error, ms);
      await wait(ms, undefined, { signal }).catch(() => {
        signal.throwIfAborted();
      });
    }
  }
}

function pauseAfter(error: unknown, transientMs: number): number | null {
  if (isTransient(error)) return transientMs;
  const asked = retryAfterMs(error);
  return asked === null || asked > LONGEST_WAIT_MS ? null : asked;
}
