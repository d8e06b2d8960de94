import type { RunBudget, RunLimits, TrialLimits } from '@assay/contracts';

/** What the tries of a run have spent, those that run among them, and how long it has been running. */
export interface RunSpending {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Null: unknown, because the price of a call is. */
  readonly costUsd: number | null;
  readonly seconds: number;
}

/** The budget of a run that is used up; null: none is. A bound of N is met once N is spent. */
export function reachedBudget(limits: RunLimits, spent: RunSpending): RunBudget | null {
  const { calls, tokens, costUsd, wallSeconds } = limits;
  if (wallSeconds !== null && spent.seconds >= wallSeconds) return 'time';
  if (calls !== null && spent.calls >= calls) return 'calls';
  if (tokens !== null && spent.promptTokens + spent.completionTokens >= tokens) return 'tokens';
  if (costUsd !== null && spent.costUsd !== null && spent.costUsd >= costUsd) return 'cost';
  return null;
}

/**
 * What one trial may spend: no more than its whole run. So a run's budget of money makes the gateway refuse models without
 * a price, and no trial alone can overstep it.
 */
export function withinRun(limits: TrialLimits, run: RunLimits): TrialLimits {
  return {
    ...limits,
    calls: lower(limits.calls, run.calls),
    tokens: lower(limits.tokens, run.tokens),
    costUsd: lower(limits.costUsd, run.costUsd),
  };
}

function lower(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
