import { type AgentReport, NO_MODEL, NO_USAGE } from '@assay/agents';
import type { ModelEvidence, ReachedLimit, RunBudget, Usage } from '@assay/contracts';
import { BlamedError, InfraError } from '@assay/failures';
import { evidenceOf, type GatewayUsage, usageOf } from '@assay/model-gateway';

/** A trial's end, weighed. */
export interface WeighedReport {
  readonly limit: ReachedLimit | null;
  readonly usage: Usage;
  readonly model: ModelEvidence;
  readonly crash: BlamedError | null;
}

/** What the end of a trial is weighed by, beside what the agent and the gateway say. */
export interface TrialBounds {
  /** What a bound of calls is called: of an agent that counts no turns they are its turns. */
  readonly callsAre: 'calls' | 'turns';
  /** The budget of the whole run that was used up while the agent ran; null: none. */
  readonly runBudget: RunBudget | null;
}

/** The same where the agent could not report: `end` is then why. */
export function weighEnd(
  end: AgentReport | BlamedError,
  seen: GatewayUsage | null,
  bounds: TrialBounds,
): WeighedReport {
  if (!(end instanceof BlamedError)) return weighReport(end, seen, bounds);
  return weighReport({ limit: null, usage: NO_USAGE, model: NO_MODEL, steps: [], crash: end }, seen, bounds);
}

/**
 * What the agent says of its work against what the gateway saw (design rule 4): the gateway's bill replaces the agent's
 * own, a bound that the gateway held is the limit that was reached, and a crash after the provider failed is no fault of
 * the agent. Without a gateway (`seen` is null) the agent's word stands. Whoever was stopped for the run's budget reached
 * that limit.
 */
export function weighReport(report: AgentReport, seen: GatewayUsage | null, bounds: TrialBounds): WeighedReport {
  const bound = (seen === null ? null : boundOf(seen, bounds)) ?? stoppedBy(report, bounds);
  const limit = bound ?? report.limit;
  // Whoever is refused one call more, or stopped, may end as it likes: what it left is graded, and marked.
  if (seen === null) return { ...report, limit, crash: bound === null ? report.crash : null };
  const weighed = { limit, usage: usageOf(seen), model: evidenceOf(seen) };
  if (seen.recordFailure !== null) return { ...weighed, crash: notRecorded(seen.recordFailure.message) };
  return { ...weighed, crash: bound === null ? blamed(report.crash, seen) : null };
}

function boundOf({ limit }: GatewayUsage, { callsAre }: TrialBounds): ReachedLimit | null {
  if (limit === null) return null;
  return limit.kind === 'calls' ? callsAre : limit.kind;
}

/** An agent that is told to stop says that its time was over, or crashes; one that was done already has reached nothing. */
function stoppedBy({ limit, crash }: AgentReport, { runBudget }: TrialBounds): ReachedLimit | null {
  return limit === 'time' || crash !== null ? runBudget : null;
}

function blamed(crash: BlamedError | null, { lastExchange, lastFailure }: GatewayUsage): BlamedError | null {
  if (crash?.blame !== 'agent' || lastExchange !== 'upstream_failure') return crash;
  return new InfraError(`the model failed, and the agent after it: ${lastFailure?.message ?? 'no reason is known'}`, {
    code: 'model_unavailable',
    phase: 'agent',
    details: { agent: crash.toFailure(), model: lastFailure },
    cause: crash,
  });
}

function notRecorded(reason: string): InfraError {
  return new InfraError(`the exchanges with the model were not recorded whole: ${reason}`, {
    code: 'record_incomplete',
    phase: 'agent',
  });
}
