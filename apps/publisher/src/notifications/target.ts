import type { Notification, NotificationOutcome, NotificationTarget } from '@assay/contracts';

/** How one try to tell somebody ends. It never rejects: that nobody is there is an outcome. */
export type Send = (notification: Notification, tryNumber: number) => Promise<NotificationOutcome>;

/** Who is told, of what, and how. */
export interface Target extends NotificationTarget {
  readonly send: Send;
}

/** Milliseconds that one try may take, answer included. */
export const SEND_TIMEOUT_MS = 10_000;

/** The target may take it another time. */
export function notNow(reason: string, retryAfterMs: number | null = null): NotificationOutcome {
  return { kind: 'failed', reason: reason.slice(0, 1_000), final: false, retryAfterMs };
}

/** The target will not take it, however often it is asked. */
export function never(reason: string): NotificationOutcome {
  return { kind: 'failed', reason: reason.slice(0, 1_000), final: true, retryAfterMs: null };
}
