import type { Counts, PublicResult, Score } from '@assay/contracts';
import { isWholeBenchmark } from './gate.policy';
import { counted } from './wording';

/**
 * What may be said of a run in public, line by line, in plain text: the one wording for the release block, the terminal
 * and the web page. A percentage appears only for a run that SUCCEEDED on the whole of a benchmark whose suite publishes
 * scores; every other run says in words that it is not a score. Empty for a suite that publishes nothing.
 */
export function scoreLines(result: PublicResult): string[] {
  if (result.publish === 'none') return [];
  return [...verdictLines(result), countsLine(result), ...reasonLines(result), measuredLine(result)];
}

function verdictLines(result: PublicResult): string[] {
  const { status, counts, score } = result;
  if (status !== 'SUCCEEDED') return [`${status}: not a score`];
  if (score !== null && result.publish === 'score' && isWholeBenchmark(counts.total, result.benchmarkSize)) {
    return scoreAndBounds(counts, score);
  }
  return [`${counts.resolved} / ${counts.total}, not a benchmark score`];
}

function scoreAndBounds(counts: Counts, score: Score): string[] {
  const { resolved, total } = counts;
  const without = total - score.scorable;
  return [
    `Score: ${percent(score.percent)} (${resolved} / ${score.scorable} instances with a verdict)`,
    `95 % interval: ${score.wilson95.low.toFixed(2)} to ${percent(score.wilson95.high)} (Wilson)`,
    `Of all instances: ${percent(score.percentOfAll)} (${resolved} / ${total})`,
    `At most: ${percent(score.percentAtMost)} (if the ${without} without a verdict were all resolved)`,
    `Coverage: ${percent(score.coveragePercent)} (${score.scorable} / ${total} have a verdict)`,
  ];
}

function countsLine({ counts }: PublicResult): string {
  const open =
    counts.total -
    (counts.resolved + counts.unresolved + counts.executionError + counts.infraFailed + counts.cancelled);
  return (
    `Instances: ${counts.resolved} resolved, ${counts.unresolved} unresolved, ` +
    `${counted(counts.executionError, 'execution error')}, ` +
    `${counted(counts.infraFailed, 'infrastructure failure')}, ` +
    `${counts.cancelled} cancelled${open > 0 ? `, ${open} open` : ''}; ${counts.total} in all`
  );
}

function reasonLines({ reasons }: PublicResult): string[] {
  return reasons.map(({ code, message }) => `Reason: ${message} (${code})`);
}

function measuredLine(result: PublicResult): string {
  const { agent, dataset, limits, evaluated } = result;
  const parts = [
    `${agent.name} ${agent.version}`,
    `commit ${evaluated.commit.slice(0, 12)}`,
    `model ${result.model}`,
    `dataset ${dataset.name}@${dataset.revision}`,
    `${limits.wallSeconds} s per trial`,
    limits.turns === null ? 'no turn limit' : counted(limits.turns, 'turn'),
    counted(limits.cpus, 'CPU'),
    `${limits.memoryMb} MiB`,
    `up to ${counted(result.maxAttempts, 'attempt')}`,
    `grader ${result.graderVersion}`,
    `sandbox ${result.sandbox}`,
    `manifest ${result.manifestDigest.slice(0, 12)}`,
  ];
  return `Measured with: ${parts.join(', ')}`;
}

function percent(value: number): string {
  return `${value.toFixed(2)} %`;
}
