/** How the poller waits. */
export interface PollTimings {
  /** Milliseconds between two looks when nothing is due. */
  readonly idleMs: number;
  /** Seconds that a run is one poller's own; another may take it after that. */
  readonly leaseSeconds: number;
  /** Seconds until the second look at a run whose first one failed; doubled with each further one. */
  readonly firstDelaySeconds: number;
  /** Seconds between two looks at most. */
  readonly longestDelaySeconds: number;
}

/** @param scale 1 in production, smaller in tests */
export function pollTimings(scale: number): PollTimings {
  return {
    idleMs: Math.max(20, 1_000 * scale),
    leaseSeconds: 60 * scale,
    firstDelaySeconds: 5 * scale,
    longestDelaySeconds: 300 * scale,
  };
}

/**
 * Seconds until a WAITING run is looked at again.
 * @param pollTries failed looks before the one that just failed
 * @param asked what the other side asked for (`Retry-After`), honoured beyond the longest delay
 */
export function pollDelaySeconds(pollTries: number, asked: number | null, timings: PollTimings): number {
  const { firstDelaySeconds, longestDelaySeconds } = timings;
  const backoff = Math.min(longestDelaySeconds, firstDelaySeconds * 2 ** Math.min(pollTries, 30));
  return Math.max(backoff, asked ?? 0);
}
