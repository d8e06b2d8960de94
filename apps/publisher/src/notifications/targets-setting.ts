import { TaskError } from '@assay/failures';
import { reasonOf, type Setting } from '@assay/service-kit';
import { z } from 'zod';
import { type CheckedTargets, loadTargets } from './targets-file';

/** The variable names a file of targets; the value is what stands in it, checked whole when the process starts. */
export function targetsFile(): Setting<CheckedTargets> {
  const expected = 'the path of a file of notification targets (docs/notifications.md)';
  return z
    .string({ error: `expected ${expected}` })
    .transform((file, context): CheckedTargets => {
      try {
        return loadTargets(file);
      } catch (error) {
        const reason = error instanceof TaskError ? error.message : `it cannot be read: ${reasonOf(error)}`;
        context.addIssue({ code: 'custom', message: `expected ${expected}, but ${reason}` });
        return z.NEVER;
      }
    })
    .meta({ expected, fallback: null, secret: false });
}
