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
  /** Seconds between two looks at a run whose package is not there yet. */
  readonly packagePollSeconds: number;
  /** Seconds after which a package that is not there yet is late, and that is told. */
  readonly packageLateSeconds: number;
  /** Seconds after which a package that is not there yet will not come. */
  readonly packageWaitSeconds: number;
}

/**
 * @param scale 1 in production, smaller in tests
 * @param packages as they are configured; not scaled
 */
export function pollTimings(
  scale: number,
  packages: Pick<PollTimings, 'packagePollSeconds' | 'packageLateSeconds' | 'packageWaitSeconds'>,
): PollTimings {
  return {
    ...packages,
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

/** When a run whose package is not there yet is looked at again, or that it has waited long enough. */
export type PackageWait = { readonly wait: 'again'; readonly delaySeconds: number } | { readonly wait: 'over' };

/**
 * The last look is at the end of the budget, not before it.
 * @param waitedSeconds since the first look in vain; null: this was the first
 */
export function packageWait(waitedSeconds: number | null, timings: PollTimings): PackageWait {
  const left = timings.packageWaitSeconds - (waitedSeconds ?? 0);
  if (left <= 0) return { wait: 'over' };
  return { wait: 'again', delaySeconds: Math.min(timings.packagePollSeconds, left) };
}
