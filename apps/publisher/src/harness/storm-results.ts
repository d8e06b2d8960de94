import { InstanceId, type RunId, type RunResult } from '@assay/contracts';
import { decideAgain } from '@assay/evidence';
import { aFailedResult, aPublicResult } from '@assay/testing';
import { Seeded } from './seeded';

/** Whose result it is. */
export interface StormRun {
  readonly runId: RunId;
  readonly suite: string;
  readonly tag: string;
  readonly repository: string;
}

const INSTANCES = 8;

/**
 * What a run of the storm came to: a score, a quarantine, or a failure before there were any instances. Counts, gate and
 * score follow from the instances, so that whoever checks the published files finds nothing.
 * @param number of the run: the same one has the same result
 */
export function aStormResult(number: number, { runId, suite, tag, repository }: StormRun): RunResult {
  const random = new Seeded(number);
  const named = { runId, suite, title: `Suite ${suite}`, release: { repository, tag } };
  if (random.chance(0.1)) return aFailedResult(named);
  const base = aPublicResult({
    ...named,
    publish: 'score',
    benchmarkSize: INSTANCES,
    gate: {
      kind: 'benchmark',
      expectedInstances: INSTANCES,
      errorThreshold: 1,
      forgedMarker: 'quarantine',
      gradeOnly: false,
      budgetReached: null,
    },
    instances: Array.from({ length: INSTANCES }, (_, at) => ({
      id: InstanceId.parse(`i-${at}`),
      sample: 0,
      state: random.chance(0.05) ? ('EXECUTION_ERROR' as const) : random.one(['RESOLVED', 'UNRESOLVED'] as const),
      attempts: 1,
      failure: null,
      limit: null,
      suspicions: [],
      hasResult: true,
      hasTrajectory: true,
    })),
  });
  const { status, counts, score, reasons } = decideAgain(base);
  return { ...base, status, counts, score, reasons };
}
