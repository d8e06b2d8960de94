import type { Failure, Manifest, ModelEvidence, ReachedLimit, RetryPolicy, TrialOutcome } from '@assay/contracts';
import { byBlame, type Decision } from './retry.policy';

export interface TrialContext {
  /** The attempt that ended, counted: 1 for the first. Released attempts do not count. */
  readonly attempt: number;
  /** From the frozen manifest, as the next. */
  readonly retry: RetryPolicy;
  readonly onLimit: Manifest['suite']['onLimit'];
  readonly kind: Manifest['suite']['kind'];
}

/** What follows a trial's result (design rule 4). */
export function afterTrial(outcome: TrialOutcome, { attempt, retry, onLimit, kind }: TrialContext): Decision {
  if (outcome.kind === 'failed') return byBlame(outcome.failure, attempt, retry);
  // No model was asked and there is no patch: that the sandbox was there is all.
  if (kind === 'infrastructure') return { next: 'checked' };
  // Before the limit: an agent that waited in vain for its model until its time was over is not to blame.
  if (outcome.patch === null && !modelAnswered(outcome.model)) {
    return byBlame(modelUnavailable(outcome.model, outcome.limit), attempt, retry);
  }
  if (outcome.limit !== null && onLimit === 'error') {
    return { next: 'terminal', state: 'EXECUTION_ERROR', failure: limitReached(outcome.limit) };
  }
  return { next: 'grade' };
}

/** Whether an empty patch says something about the agent: the gateway's evidence outranks exit codes. */
function modelAnswered({ usesModel, completedExchanges, lastFailedUpstream }: ModelEvidence): boolean {
  return !usesModel || (completedExchanges > 0 && !lastFailedUpstream);
}

function modelUnavailable(model: ModelEvidence, limit: ReachedLimit | null): Failure {
  const { completedExchanges, lastFailedUpstream } = model;
  return {
    blame: 'infra',
    code: 'model_unavailable',
    message: lastFailedUpstream
      ? `The workspace did not change, and the last of the agent's exchanges failed at the model provider (${completedExchanges} completed).`
      : 'The workspace did not change, and the agent completed no exchange with its model.',
    phase: 'agent',
    details: { completedExchanges, lastFailedUpstream, limit },
  };
}

function limitReached(limit: ReachedLimit): Failure {
  return {
    blame: 'agent',
    code: 'limit_reached',
    message: `The agent reached its limit of ${limit}, which this suite counts as an error.`,
    phase: 'agent',
    details: { limit },
  };
}
