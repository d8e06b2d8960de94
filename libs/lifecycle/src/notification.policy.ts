/** After this long a notification that nobody took is given up: who hears of it a day later knows it already. */
export const NOTIFICATION_LASTS_MS = 86_400_000;

const LONGEST_WAIT_MS = 3_600_000;

/**
 * Milliseconds until a notification is tried again: doubles from `firstMs` to an hour, and is never less than what the
 * target asked for (which counts up to that hour). Pure.
 * @param tryNumber of the try that failed, 1 for the first
 */
export function notificationRetryMs(tryNumber: number, firstMs: number, askedMs: number | null): number {
  const wait = firstMs * 2 ** Math.min(30, Math.max(0, tryNumber - 1));
  return Math.min(LONGEST_WAIT_MS, Math.max(wait, askedMs ?? 0));
}
