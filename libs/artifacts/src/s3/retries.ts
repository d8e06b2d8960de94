import { setTimeout as pause } from 'node:timers/promises';

/** How often a call is tried, and how long between. */
export interface Patience {
  /** Tries in all, the first one included. */
  readonly tries: number;
  /** Milliseconds before the second try; doubled for each one after it, each shortened by up to a half by chance. */
  readonly firstPauseMs: number;
}

/** Five tries within about three seconds: a result's sender waits ten for its answer. */
export const PATIENT: Patience = { tries: 5, firstPauseMs: 200 };
/** A connection that was kept open may have ended meanwhile, so a single try says little. */
export const HASTY: Patience = { tries: 2, firstPauseMs: 50 };

/** Does `work` until it resolves, fails for good, or was tried often enough; rejects with the last error. */
export async function withPatience<T>(
  { tries, firstPauseMs }: Patience,
  isPassing: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (tried >= tries || !isPassing(error)) throw error;
    }
    await pause(firstPauseMs * 2 ** (tried - 1) * (1 - Math.random() / 2));
  }
}
