/** How often and how long one exchange is tried. Milliseconds. */
export interface RetryPolicy {
  /** Tries in all, the first included. */
  readonly tries: number;
  /** The first wait; it doubles with each try. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** No try begins later than this after the exchange began. */
  readonly totalMs: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { tries: 6, firstWaitMs: 1_000, longestWaitMs: 60_000, totalMs: 180_000 };

export interface FailedTry {
  /** Tries so far, this one included. */
  readonly tries: number;
  /** Milliseconds since the exchange began. */
  readonly elapsedMs: number;
  /** How long the provider asked to be left alone; null: it did not say. */
  readonly retryAfterMs: number | null;
}

/**
 * How long to wait before the next try; null: no further try. The wait doubles and is drawn from its upper half, so that
 * trials that failed together do not come back together; what the provider asked for is never cut short: a wait that does
 * not fit into the bound is no wait.
 * @param random in [0, 1)
 */
export function nextWaitMs(
  policy: RetryPolicy,
  { tries, elapsedMs, retryAfterMs }: FailedTry,
  random: number,
): number | null {
  if (tries >= policy.tries) return null;
  const own = Math.min(policy.longestWaitMs, policy.firstWaitMs * 2 ** (tries - 1));
  const jittered = own * (0.5 + random / 2);
  const wait = retryAfterMs === null ? jittered : Math.max(jittered, retryAfterMs + (random * policy.firstWaitMs) / 2);
  return elapsedMs + wait > policy.totalMs ? null : wait;
}

/** Milliseconds of a Retry-After header: seconds or a date (RFC 9110, 10.2.3). Null when absent or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
