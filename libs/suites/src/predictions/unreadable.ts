import { TaskError } from '@assay/failures';

/** The error for predictions of which nothing can be read. */
export function unreadable(place: string, why: string, cause?: unknown): TaskError {
  return new TaskError(`cannot read predictions of ${place}: ${why}`, {
    code: 'predictions_unreadable',
    phase: 'dispatch',
    details: { place },
    cause,
  });
}
