import { parseYamlFile } from '@assay/checked-files';
import type { z } from 'zod';
import { ReleasePolicy } from './policy.schema';
import { namedSuites } from './named-suites';

/**
 * The text of a policy file, checked whole. `file` is only named in errors.
 * @param suites names of the suites that there are: a policy may name no other; null: nobody knows them here
 * @throws TaskError `policy_invalid` with every problem at once, each with line:column, field, expectation and value
 */
export function loadPolicy(text: string, file: string, suites: readonly string[] | null = null): ReleasePolicy {
  return parseYamlFile({
    code: 'policy_invalid',
    phase: 'dispatch',
    file,
    wanted: 'a valid release policy',
    text,
    schema: suites === null ? ReleasePolicy : naming(suites),
  });
}

function naming(suites: readonly string[]): z.ZodType<ReleasePolicy> {
  const message = `expected the name of a suite that is there: ${suites.join(', ') || '(none)'}`;
  return ReleasePolicy.superRefine((policy, context) => {
    for (const { name, path } of namedSuites(policy)) {
      if (!suites.includes(name)) context.addIssue({ code: 'custom', path, message });
    }
  });
}
