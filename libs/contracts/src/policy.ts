import { z } from 'zod';

/** Every duration of the work protocol, in milliseconds. One object, so that tests scale it as a whole. */
export interface Timings {
  /** A consumer's ack deadline and the database lease: who is silent this long has lost the work. */
  readonly leaseMs: number;
  /** A worker's heartbeat interval. */
  readonly heartbeatMs: number;
  /** The coordinator's sweep interval. */
  readonly sweepMs: number;
  /** How long a worker repeats one claim that nobody answers before it gives the message back. */
  readonly claimRetryMs: number;
  /** Delay of a message given back because the claim was refused (wrong build, paused run). */
  readonly refusedDelayMs: number;
  /** Ack deadline of the results stream. */
  readonly resultAckWaitMs: number;
  /** Work that is due, unleased and refused by the stream for this long, while workers idle, is laid anew. */
  readonly stuckMs: number;
  /** A run that no matching worker serves for this long is shown as stalled. */
  readonly stalledMs: number;
  /** A publisher writes only with a heartbeat accepted this recently. */
  readonly publicationFreshMs: number;
  /** A written publication is read again after this long before it counts as PUBLISHED. */
  readonly publicationRereadMs: number;
  /** How long one request to the coordinator waits for its answer. */
  readonly rpcTimeoutMs: number;
  /** How often a worker announces itself and its slots. */
  readonly announceMs: number;
  /** Outbox lines are deleted this long after they were sent; until then they tell what was sent when. */
  readonly sentKeptMs: number;
}

/** The values of a production deployment (design section 3a). */
export const DEFAULT_TIMINGS: Timings = {
  leaseMs: 90_000,
  heartbeatMs: 25_000,
  sweepMs: 10_000,
  claimRetryMs: 60_000,
  refusedDelayMs: 30_000,
  resultAckWaitMs: 10_000,
  stuckMs: 120_000,
  stalledMs: 600_000,
  publicationFreshMs: 30_000,
  publicationRereadMs: 90_000,
  rpcTimeoutMs: 5_000,
  announceMs: 25_000,
  sentKeptMs: 86_400_000,
};

/** All durations multiplied by `factor` (0 < factor <= 1), each at least 20 ms; rpcTimeoutMs at least 500 ms. */
export function scaleTimings(factor: number, base: Timings = DEFAULT_TIMINGS): Timings {
  const entries = Object.entries(base) as [keyof Timings, number][];
  return Object.fromEntries(
    entries.map(([name, ms]) => [name, Math.max(name === 'rpcTimeoutMs' ? 500 : 20, Math.round(ms * factor))]),
  ) as unknown as Timings;
}

/** How often and how far apart our own faults are tried again; frozen in the manifest. */
export const RetryPolicy = z.strictObject({
  /** Trials in all, the first included; the same bound holds for the grade tries of one attempt. */
  maxAttempts: z.int().min(1).max(8).default(4),
  /** Wait after try n is `backoffSeconds * 2^(n-1)`: 60, 120, 240 s by default. */
  backoffSeconds: z.number().min(0).max(3600).default(60),
});
export type RetryPolicy = z.infer<typeof RetryPolicy>;
