import type { Failure, RetryPolicy, WorkerId } from '@assay/contracts';
import { byBlame, type RetryOrEnd } from './retry.policy';

export interface LeaseContext {
  readonly work: 'trial' | 'grade';
  /** The attempt or grade try whose lease lapsed, counted: 1 for the first. */
  readonly tryNumber: number;
  /** Whether one of its heartbeats was accepted: only from then on it counts. */
  readonly started: boolean;
  readonly retry: RetryPolicy;
  /** Who held it. */
  readonly worker: WorkerId;
}

/** What follows a lease that lapsed without a result: our fault; at once and for free when the work never started. */
export function afterLeaseLost({ work, tryNumber, started, retry, worker }: LeaseContext): RetryOrEnd {
  const failure: Failure = {
    blame: 'infra',
    code: 'lease_lost',
    message: `The worker of this ${work} was silent for longer than its lease.`,
    phase: 'lease',
    details: { work, worker, started },
  };
  if (!started) return { next: 'retry', delaySeconds: 0, failure, wantsIdle: false };
  return byBlame(failure, tryNumber, retry);
}
