/** Time as the gateway sees it; tests bring their own. */
export interface GatewayClock {
  /** Milliseconds since the epoch; never runs backwards. */
  now(): number;
  /** Runs `work` once after so many milliseconds, unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
}

/** A timer of Node takes no more; a later time is looked at again when this one is over. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: GatewayClock = {
  now: () => performance.timeOrigin + performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, Math.min(ms, LONGEST_TIMER_MS));
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Resolves after so many milliseconds; rejects with the signal's reason as soon as it is aborted. */
export function pause(clock: GatewayClock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
