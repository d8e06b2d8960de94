import type { PublicResult, RunUsage } from '@assay/contracts';
import { counted } from './wording';

/**
 * What a run was measured with, and what it took: what a reader needs to compare it with another one. No percentage
 * stands here.
 */
export function methodLines(result: PublicResult): string[] {
  const { suite, dataset, usage } = result;
  return [
    `Suite: ${suite}, dataset ${dataset.name}@${dataset.revision}`,
    limitsLine(result),
    methodLine(result),
    versionsLine(result),
    costLine(usage),
  ];
}

function limitsLine({ limits }: PublicResult): string {
  const parts = [
    `${limits.wallSeconds} s per trial`,
    limits.turns === null ? 'no turn limit' : counted(limits.turns, 'turn'),
    counted(limits.cpus, 'CPU'),
    `${limits.memoryMb} MiB`,
  ];
  return `Limits: ${parts.join(', ')}`;
}

function methodLine({ agent, model, sandbox, graderVersion, graderNetwork, maxAttempts }: PublicResult): string {
  const sealed = sandbox === 'process' ? 'not isolated' : 'sealed';
  const grading = sandbox === 'process' ? 'not isolated' : graderNetwork === 'none' ? 'sealed' : 'outside network';
  const parts = [
    `agent ${agent.name} ${agent.version}`,
    `model ${model}`,
    `sandbox ${sandbox} (${sealed})`,
    `grader ${graderVersion} (${grading})`,
    maxAttempts === 1 ? '1 attempt' : `up to ${maxAttempts} attempts, again only after a fault of the infrastructure`,
  ];
  return `Method: ${parts.join(', ')}`;
}

function versionsLine({ evaluated, manifestDigest }: PublicResult): string {
  return `Versions: commit ${evaluated.commit}, package ${evaluated.packageVersion}, manifest ${manifestDigest.slice(0, 12)}`;
}

/** Sums over every attempt whose usage is known; what is not known is said, and never counted as zero. */
function costLine(usage: RunUsage): string {
  const uncounted =
    usage.uncountedAttempts === 0 ? '' : `; ${counted(usage.uncountedAttempts, 'more attempt')} not counted`;
  if (usage.attempts === 0) return `Cost: unknown${uncounted}`;
  if (usage.calls === 0) return `Cost: no model calls in ${counted(usage.attempts, 'attempt')}${uncounted}`;
  const money = usage.costUsd === null ? 'unknown' : `${usage.costUsd.toFixed(2)} USD`;
  const tokens =
    `${grouped(usage.promptTokens)} prompt tokens (${grouped(usage.cachedTokens)} cached) and ` +
    `${grouped(usage.completionTokens)} completion tokens`;
  const estimated = usage.estimated ? ', estimated' : '';
  return (
    `Cost: ${money}; ${tokens}${estimated}, in ${counted(usage.calls, 'call')} of ` +
    `${counted(usage.attempts, 'attempt')}${uncounted}`
  );
}

/** `1,234,567`. */
function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}
