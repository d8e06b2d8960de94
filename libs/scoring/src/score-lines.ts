import { type Counts, type FailedResult, type PublicResult, type RunResult, type Score } from '@assay/contracts';
import { isWholeBenchmark } from './gate.policy';
import { methodLines } from './method-lines';
import { counted, someOf } from './wording';

/**
 * What may be said of a run in public, line by line, in plain text: the one wording for the release block, the terminal
 * and the web page. The first line is the verdict. A percentage appears only for a run that SUCCEEDED on the whole of a
 * benchmark whose suite publishes scores; every other run says in words that it is not a score. Empty for a suite that
 * publishes nothing.
 */
export function scoreLines(result: RunResult): string[] {
  if (result.status === 'FAILED') return failedLines(result);
  if (result.publish === 'none') return [];
  return [
    ...verdictLines(result),
    countsLine(result),
    ...errorLines(result),
    ...reasonLines(result),
    ...methodLines(result),
  ];
}

/** True where `scoreLines` shows a percentage. */
export function showsScore(result: RunResult): boolean {
  return result.status !== 'FAILED' && shownScore(result) !== null;
}

function failedLines({ failure, model }: FailedResult): string[] {
  return ['Failed, not scored', `Cause: ${failure.message} (${failure.code})`, `Nothing was measured; model ${model}`];
}

function shownScore({ status, publish, score, counts, benchmarkSize }: PublicResult): Score | null {
  if (status !== 'SUCCEEDED' || publish !== 'score') return null;
  return isWholeBenchmark(counts.total, benchmarkSize) ? score : null;
}

function verdictLines(result: PublicResult): string[] {
  const { status, counts, benchmarkSize, gate } = result;
  if (status !== 'SUCCEEDED') return [`${status}: not a score`];
  const score = shownScore(result);
  if (score !== null) return scoreAndBounds(counts, score);
  const { resolved, total } = counts;
  if (gate.kind === 'infrastructure') return [`Infrastructure check: ${resolved} of ${total} sandboxes started`];
  if (gate.kind === 'diagnostic') return [`${resolved} / ${total} in a diagnostic: says nothing about an agent`];
  return benchmarkSize !== null && total < benchmarkSize
    ? [`${resolved} of ${total} run, of ${benchmarkSize} in the benchmark: not a benchmark score`]
    : [`${resolved} / ${total}, not a benchmark score`];
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

function countsLine({ counts, gate }: PublicResult): string {
  if (gate.kind === 'infrastructure') return sandboxesLine(counts);
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

/** A sandbox that was started and checked counts as resolved; there are no verdicts. */
function sandboxesLine({ total, resolved, cancelled, executionError, infraFailed }: Counts): string {
  return (
    `Sandboxes: ${resolved} started and checked, ${executionError + infraFailed} failed, ` +
    `${cancelled} cancelled; ${total} in all; no agent ran, not a score`
  );
}

/** What kept instances without a verdict, by failure code, the most frequent first. */
function errorLines({ instances }: PublicResult): string[] {
  const byCode = new Map<string, number>();
  for (const { failure } of instances) if (failure !== null) byCode.set(failure, (byCode.get(failure) ?? 0) + 1);
  if (byCode.size === 0) return [];
  const sorted = [...byCode].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return [`Errors: ${someOf(sorted.map(([code, n]) => `${n} ${code}`))}`];
}

function reasonLines({ reasons }: PublicResult): string[] {
  return reasons.map(({ code, message }) => `Reason: ${message} (${code})`);
}

function percent(value: number): string {
  return `${value.toFixed(2)} %`;
}
