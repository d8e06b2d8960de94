import type { Timings } from '@assay/contracts';

/** Wake-ups in the stream for each slot of the workers: enough that none idles, few enough that nothing stands there. */
export const PER_SLOT = 4;

/** How long a worker counts as there after it was heard of: three announcements. Milliseconds. */
export function aliveFor({ announceMs }: Timings): number {
  return announceMs * 3;
}
