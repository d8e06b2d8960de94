import { readFileSync } from 'node:fs';
import { TaskError } from '@assay/failures';
import { loadPolicy, type ReleasePolicy } from '@assay/release-policy';
import { reasonOf, type Setting } from '@assay/service-kit';
import { z } from 'zod';

/** The variable names a policy file; the value is what stands in it, checked whole when the process starts. */
export function policyFile(): Setting<ReleasePolicy> {
  const expected = 'the path of a release policy (docs/release-policy.md)';
  return z
    .string({ error: `expected ${expected}` })
    .transform((file, context): ReleasePolicy => {
      try {
        return loadPolicy(readFileSync(file, 'utf8'), file);
      } catch (error) {
        const reason = error instanceof TaskError ? error.message : `it cannot be read: ${reasonOf(error)}`;
        context.addIssue({ code: 'custom', message: `expected ${expected}, but ${reason}` });
        return z.NEVER;
      }
    })
    .meta({ expected, fallback: null, secret: false });
}
