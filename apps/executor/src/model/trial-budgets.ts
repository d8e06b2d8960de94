import type { TrialAgent } from '@assay/agents';
import type { TrialLimits } from '@assay/contracts';
import type { BudgetLimits } from '@assay/model-gateway';

/** What the gateway holds a trial to. */
export interface TrialBudgets {
  readonly limits: BudgetLimits;
  /** What a bound of calls is called in the result, when it was met. */
  readonly callsAre: 'calls' | 'turns';
}

/**
 * The bounds of a trial at the gateway. Time is none of them: the agent's own ends with its process. An agent that counts no
 * turns of its own has as many calls as turns.
 */
export function budgetsOf(
  { turnsByCalls = false }: Pick<TrialAgent, 'turnsByCalls'>,
  { calls, turns, tokens, costUsd }: Pick<TrialLimits, 'calls' | 'turns' | 'tokens' | 'costUsd'>,
): TrialBudgets {
  const byTurns = turnsByCalls && turns !== null && (calls === null || turns < calls);
  return {
    limits: { calls: byTurns ? turns : calls, tokens, costUsd, wallSeconds: null },
    callsAre: byTurns ? 'turns' : 'calls',
  };
}
