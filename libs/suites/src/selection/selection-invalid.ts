import { problemLines } from '@assay/contracts';
import { TaskError } from '@assay/failures';

/** The error for a selection that cannot be made. */
export function selectionInvalid(field: string, value: unknown, expected: string, cause?: unknown): TaskError {
  return new TaskError(problemLines([{ field, value, expected }]).join(''), {
    code: 'selection_invalid',
    phase: 'dispatch',
    details: { field, value },
    cause,
  });
}
