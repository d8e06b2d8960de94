import { assertNever, type Counts, type InstanceState } from '@assay/contracts';

/** How many instances ended in each terminal state. `total` counts the open ones too. */
export function countsOf(states: Iterable<InstanceState>): Counts {
  const counts = { total: 0, resolved: 0, unresolved: 0, executionError: 0, infraFailed: 0, cancelled: 0 };
  for (const state of states) {
    counts.total += 1;
    const name = nameOf(state);
    if (name !== null) counts[name] += 1;
  }
  return counts;
}

/** Instances with a verdict: the denominator of a score. */
export function scorableOf({ resolved, unresolved }: Counts): number {
  return resolved + unresolved;
}

function nameOf(state: InstanceState): Exclude<keyof Counts, 'total'> | null {
  switch (state) {
    case 'RESOLVED':
      return 'resolved';
    case 'UNRESOLVED':
      return 'unresolved';
    case 'EXECUTION_ERROR':
      return 'executionError';
    case 'INFRA_FAILED':
      return 'infraFailed';
    case 'CANCELLED':
      return 'cancelled';
    case 'QUEUED':
    case 'PREPARING':
    case 'RUNNING_AGENT':
    case 'UPLOADING':
    case 'GRADING':
    case 'RETRY_WAIT':
      return null;
    default:
      return assertNever(state);
  }
}
