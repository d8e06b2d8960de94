import {
  type Counts,
  type InstanceState,
  type Manifest,
  type PublishMode,
  type QuarantineReason,
  type RunBudget,
  type Score,
  type SuiteKind,
  TERMINAL_INSTANCE_STATES,
} from '@assay/contracts';
import { countsOf, scorableOf } from './counts';
import { scoreOf } from './score';
import { counted, someOf } from './wording';

/** The grader's name for a patch that prints the harness's exit-code marker itself. */
export const FORGED_EXIT_MARKER = 'forged_exit_marker';

/** One instance as it ended. */
export interface GateInstance {
  /** Unique in a run: the instance id, and its sample where there are several. */
  readonly id: string;
  readonly state: InstanceState;
  /** A grade's result is stored. */
  readonly hasResult: boolean;
  /** The trial's trajectory is stored. */
  readonly hasTrajectory: boolean;
  readonly suspicions: readonly string[];
}

export interface GatePolicy {
  /** Instances of the frozen manifest, samples counted. */
  readonly expectedInstances: number;
  /** EXECUTION_ERROR + INFRA_FAILED must stay below this; a suite that publishes scores is held to `maxErrorThreshold`. */
  readonly errorThreshold: number;
  readonly publish: PublishMode;
  /** Only a benchmark may have a score; an infrastructure check has no grades. */
  readonly kind: SuiteKind;
  /** Predictions that were handed in have no trial of ours; such a run never publishes a score. */
  readonly gradeOnly: boolean;
  readonly forgedMarker: Manifest['suite']['forgedMarker'];
  /** Instances of the whole benchmark; null: not a benchmark. */
  readonly benchmarkSize: number | null;
  /** The run's own budget that ran out before every trial had its due; null: none did. */
  readonly budgetReached: RunBudget | null;
}

export interface GateDecision {
  readonly status: 'SUCCEEDED' | 'QUARANTINED';
  readonly counts: Counts;
  /** Null unless SUCCEEDED, the suite publishes scores, and the run is the whole benchmark. */
  readonly score: Score | null;
  /** Every rule that is broken; empty exactly when SUCCEEDED. */
  readonly reasons: QuarantineReason[];
}

/** The highest error threshold of a suite of `n` instances that may publish a score: 10 for 500, 2 for 89, 1 for 1. */
export function maxErrorThreshold(n: number): number {
  return Math.max(1, Math.ceil(n / 50));
}

/** True when `instances` are all of a benchmark: only then there may be a percentage. */
export function isWholeBenchmark(instances: number, benchmarkSize: number | null): boolean {
  return benchmarkSize !== null && instances === benchmarkSize;
}

/** Whether a run may have a score (design rule 5): no number that must be taken back. Pure. */
export function decideGate(input: { instances: readonly GateInstance[]; policy: GatePolicy }): GateDecision {
  const { instances, policy } = input;
  const counts = countsOf(instances.map(({ state }) => state));
  const reasons = [
    ...completeness(instances, policy),
    ...budget(policy),
    ...errors(counts, policy),
    ...evidence(instances, policy),
    ...denominator(counts),
    ...forgeries(instances, policy),
  ];
  if (reasons.length > 0) return { status: 'QUARANTINED', counts, score: null, reasons };
  const scored =
    policy.publish === 'score' &&
    policy.kind === 'benchmark' &&
    !policy.gradeOnly &&
    isWholeBenchmark(counts.total, policy.benchmarkSize);
  return { status: 'SUCCEEDED', counts, score: scored ? scoreOf(counts) : null, reasons };
}

function completeness(instances: readonly GateInstance[], { expectedInstances }: GatePolicy): QuarantineReason[] {
  const distinct = new Set<string>();
  const again = new Set<string>();
  for (const { id } of instances) (distinct.has(id) ? again : distinct).add(id);
  const twice = [...again];
  const open = instances.filter(({ state }) => !isTerminal(state)).map(({ id }) => id);
  const cancelled = instances.filter(({ state }) => state === 'CANCELLED').length;
  const total = counted(instances.length, 'instance');
  return [
    ...when(
      distinct.size !== expectedInstances,
      'instances_missing',
      `The manifest has ${counted(expectedInstances, 'instance')}, the run has ${distinct.size}.`,
    ),
    ...when(twice.length > 0, 'instance_listed_twice', `Listed more than once: ${some(twice, distinct.size)}.`),
    ...when(open.length > 0, 'instances_open', `Not ended: ${some(open, instances.length)}.`),
    ...when(cancelled > 0, 'instances_cancelled', `Cancelled: ${cancelled} of ${total}.`),
  ];
}

/** Trials that were cut short or never begun for want of it were not measured as the others were. */
function budget({ budgetReached }: GatePolicy): QuarantineReason[] {
  return when(
    budgetReached !== null,
    'run_budget_reached',
    `The run's budget of ${budgetReached ?? ''} was used up before every trial had its due.`,
  );
}

function errors(counts: Counts, { publish, errorThreshold }: GatePolicy): QuarantineReason[] {
  const highest = maxErrorThreshold(counts.total);
  const threshold = publish === 'score' ? Math.min(errorThreshold, highest) : errorThreshold;
  const failed = counts.executionError + counts.infraFailed;
  return when(
    failed >= threshold,
    'too_many_errors',
    `Without a verdict: ${failed} of ${counted(counts.total, 'instance')} ` +
      `(${counted(counts.executionError, 'execution error')}, ` +
      `${counted(counts.infraFailed, 'infrastructure failure')}); there must be fewer than ${threshold}.`,
  );
}

function evidence(instances: readonly GateInstance[], { gradeOnly, kind }: GatePolicy): QuarantineReason[] {
  const scorable = instances.filter(({ state }) => state === 'RESOLVED' || state === 'UNRESOLVED');
  const unproved = scorable.filter(({ hasResult }) => kind !== 'infrastructure' && !hasResult).map(({ id }) => id);
  const untold = scorable.filter(({ hasTrajectory }) => !gradeOnly && !hasTrajectory).map(({ id }) => id);
  return [
    ...when(
      unproved.length > 0,
      'results_missing',
      `With a verdict but no stored result: ${some(unproved, scorable.length)}.`,
    ),
    ...when(
      untold.length > 0,
      'trajectories_missing',
      `With a verdict but no stored trajectory: ${some(untold, scorable.length)}.`,
    ),
  ];
}

function denominator(counts: Counts): QuarantineReason[] {
  return when(
    scorableOf(counts) === 0,
    'nothing_scorable',
    `With a verdict: 0 of ${counted(counts.total, 'instance')}; a score would be 0 / 0.`,
  );
}

function forgeries(instances: readonly GateInstance[], { forgedMarker }: GatePolicy): QuarantineReason[] {
  const resolved = instances.filter(({ state }) => state === 'RESOLVED');
  const forged = resolved.filter(({ suspicions }) => suspicions.includes(FORGED_EXIT_MARKER)).map(({ id }) => id);
  return when(
    forged.length > 0 && forgedMarker === 'quarantine',
    'forged_exit_marker',
    `Resolved, but the grader's own exit marker was forged: ${some(forged, resolved.length)}.`,
  );
}

/** `3 of 500 instances (a, b, c)`. */
function some(ids: readonly string[], total: number): string {
  return `${ids.length} of ${counted(total, 'instance')} (${someOf(ids)})`;
}

function when(broken: boolean, code: string, message: string): QuarantineReason[] {
  return broken ? [{ code, message }] : [];
}

function isTerminal(state: InstanceState): boolean {
  return (TERMINAL_INSTANCE_STATES as readonly InstanceState[]).includes(state);
}
