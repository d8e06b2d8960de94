import { assertNever, type Failure, type RetryPolicy, type TerminalInstanceState } from '@assay/contracts';

/** What the coordinator does after work that left nothing to be graded. */
export type RetryOrEnd =
  /** The same kind of work again, not before `delaySeconds` from now. */
  | {
      readonly next: 'retry';
      readonly delaySeconds: number;
      readonly failure: Failure;
      /** Only on a worker whose other slots are idle: tests that timed out deserve a quiet machine. */
      readonly wantsIdle: boolean;
    }
  | { readonly next: 'terminal'; readonly state: TerminalInstanceState; readonly failure: Failure | null };

/** What the coordinator does with an instance after one piece of its work has ended. */
export type Decision =
  /** The trial's patch is stored (or the workspace did not change): grade it. */
  | { readonly next: 'grade' }
  /** An infrastructure check held: its instance is over, and nothing is graded. */
  | { readonly next: 'checked' }
  | RetryOrEnd;

/** Seconds to wait after try n (1 for the first): backoff * 2^(n-1), so 60, 120, 240 by default. */
export function retryDelaySeconds({ backoffSeconds }: RetryPolicy, tryNumber: number): number {
  if (!Number.isInteger(tryNumber) || tryNumber < 1) throw new RangeError(`no try has the number ${tryNumber}`);
  return backoffSeconds * 2 ** (tryNumber - 1);
}

/**
 * Blame decides (design rule 4): our faults (infra, contract) are tried again until `maxAttempts` tries are spent, then
 * INFRA_FAILED; the agent's and the task's are EXECUTION_ERROR at once.
 * @param tryNumber the try that failed: 1 for the first
 */
export function byBlame(failure: Failure, tryNumber: number, retry: RetryPolicy): RetryOrEnd {
  switch (failure.blame) {
    case 'agent':
    case 'task':
      return { next: 'terminal', state: 'EXECUTION_ERROR', failure };
    case 'infra':
    case 'contract':
      return tryNumber < retry.maxAttempts
        ? { next: 'retry', delaySeconds: retryDelaySeconds(retry, tryNumber), failure, wantsIdle: false }
        : { next: 'terminal', state: 'INFRA_FAILED', failure };
    default:
      return assertNever(failure.blame);
  }
}
