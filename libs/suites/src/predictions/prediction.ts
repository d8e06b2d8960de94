import { check } from '@assay/checked-files';
import { InstanceId, problemLines } from '@assay/contracts';
import { z } from 'zod';

/** The patch that somebody's agent made for an instance. */
export interface Prediction {
  readonly instanceId: InstanceId;
  /** `model_name_or_path` as it was handed in. */
  readonly model: string;
  /** As it was handed in: null, "" and blanks alone are three things (`isEmptyPatch`). */
  readonly patch: string | null;
  /** The agent's own trajectory, where it lies beside the predictions. */
  readonly trajectoryFile?: string;
  /** `file:line`, or the file where it holds this prediction alone. */
  readonly place: string;
}

/** Something that is no prediction, and why. */
export interface PredictionProblem {
  readonly place: string;
  /** Null: not known. */
  readonly instanceId: string | null;
  readonly problem: string;
}

/** What was read: the predictions in the order of the input, no id twice, and what was none. */
export interface Predictions {
  readonly predictions: readonly Prediction[];
  readonly problems: readonly PredictionProblem[];
}

/** One entry before it is checked. `key` is its name in an object of predictions, null in lists and lines. */
export interface Entry {
  readonly place: string;
  readonly key: string | null;
  readonly value: unknown;
}

/** Whether there is nothing to grade, as the harness has it: null and "" are empty, blanks are not. */
export function isEmptyPatch(patch: string | null): boolean {
  return patch === null || patch === '';
}

const PredictionFields = z.object({
  instance_id: InstanceId,
  model_name_or_path: z.string().min(1).max(300),
  model_patch: z.string('expected a string or null').nullable(),
});

/**
 * Checks one entry. Further fields are left alone; the id may be the key alone, but both must agree. The harness needs all
 * three fields, so an entry without `model_patch` is a problem, and one where it is null has an empty patch.
 */
export function readEntry({ place, key, value }: Entry): Prediction | PredictionProblem {
  const named = idOf(value) ?? key;
  const problem = (text: string): PredictionProblem => ({ place, instanceId: named, problem: text });
  if (!isObject(value)) {
    return problem(problemLines([{ field: '(prediction)', value, expected: 'expected a JSON object' }]).join(''));
  }
  const fields = key === null || 'instance_id' in value ? value : { ...value, instance_id: key };
  const checked = check(PredictionFields, fields);
  if (!checked.ok) {
    const worded = checked.problems.map(({ field, value: found, expected }) => ({
      field,
      value: found,
      expected: field in fields ? expected : 'the key is missing',
    }));
    return problem(problemLines(worded).join('; '));
  }
  const { instance_id: instanceId, model_name_or_path: model, model_patch: patch } = checked.value;
  if (key !== null && key !== instanceId) {
    const expected = `expected ${JSON.stringify(key)}, as its key says`;
    return problem(problemLines([{ field: 'instance_id', value: instanceId, expected }]).join(''));
  }
  return { instanceId, model, patch, place };
}

function idOf(value: unknown): string | null {
  const id = isObject(value) ? value['instance_id'] : null;
  return typeof id === 'string' ? id : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
