import type { AgentSpec, Digest, FrozenPrediction, InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';

/** A stored set of predictions, its patches and trajectories in the artifact store. */
export interface PredictionSet {
  /** sha256 of the set as it was handed in. */
  readonly digest: Digest;
  readonly of: ReadonlyMap<InstanceId, FrozenPrediction>;
}

/** How many unknown ids an error names. */
const NAMED = 20;

/**
 * The instances of a grade-only run: those of the suite that have a prediction, sorted as the suite has them.
 * @throws TaskError `prediction_unknown` naming the ids that the suite does not have (the harness refuses them as well),
 *   `predictions_empty`
 */
export function choosePredicted(
  ids: readonly InstanceId[],
  { of }: PredictionSet,
  title: string,
): readonly InstanceId[] {
  const known = new Set(ids);
  const unknown = [...of.keys()].filter((id) => !known.has(id));
  if (unknown.length > 0) {
    const more = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more` : '';
    throw new TaskError(`Unknown ${title} instances: ${unknown.slice(0, NAMED).join(', ')}${more}`, {
      code: 'prediction_unknown',
      phase: 'dispatch',
      details: { unknown: unknown.length },
    });
  }
  if (of.size === 0) throw new TaskError('the set has no prediction', { code: 'predictions_empty', phase: 'dispatch' });
  return ids.filter((id) => of.has(id));
}

/** What stands in the manifest in place of an agent: the set, by its digest. */
export function gradeOnlyAgent({ digest }: PredictionSet): AgentSpec {
  return { name: 'predictions', version: '1', integrity: `sha256-${digest}`, options: {} };
}
