import { type AgentReport, NO_MODEL, NO_USAGE } from '@assay/agents';
import type { ModelEvidence, ReachedLimit, Usage } from '@assay/contracts';
import { BlamedError, InfraError } from '@assay/failures';
import { evidenceOf, type GatewayUsage, usageOf } from '@assay/model-gateway';

/** A trial's end, weighed. */
export interface WeighedReport {
  readonly limit: ReachedLimit | null;
  readonly usage: Usage;
  readonly model: ModelEvidence;
  readonly crash: BlamedError | null;
}

/** The same where the agent could not report: `end` is then why. */
export function weighEnd(
  end: AgentReport | BlamedError,
  seen: GatewayUsage | null,
  callsAre: 'calls' | 'turns',
): WeighedReport {
  if (!(end instanceof BlamedError)) return weighReport(end, seen, callsAre);
  return weighReport({ limit: null, usage: NO_USAGE, model: NO_MODEL, steps: [], crash: end }, seen, callsAre);
}

/**
 * What the agent says of its work against what the gateway saw (design rule 4): the gateway's bill replaces the agent's
 * own, a bound that the gateway held is the limit that was reached, and a crash after the provider failed is no fault of
 * the agent. Without a gateway (`seen` is null) the agent's word stands.
 * @param callsAre what a bound of calls is called: of an agent that counts no turns they are its turns
 */
export function weighReport(
  report: AgentReport,
  seen: GatewayUsage | null,
  callsAre: 'calls' | 'turns',
): WeighedReport {
  if (seen === null) return report;
  const bound = boundOf(seen, callsAre);
  const limit = bound ?? report.limit;
  const weighed = { limit, usage: usageOf(seen), model: evidenceOf(seen) };
  if (seen.recordFailure !== null) return { ...weighed, crash: notRecorded(seen.recordFailure.message) };
  // Whoever is refused one call more may end as it likes: what it left is graded, and marked.
  if (bound !== null) return { ...weighed, crash: null };
  return { ...weighed, crash: blamed(report.crash, seen) };
}

function boundOf({ limit }: GatewayUsage, callsAre: 'calls' | 'turns'): ReachedLimit | null {
  // A bound of tokens is not among a suite's limits yet, so no trial has one.
  if (limit === null || limit.kind === 'tokens') return null;
  return limit.kind === 'calls' ? callsAre : limit.kind;
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
