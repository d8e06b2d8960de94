import { parseYamlFile } from '@assay/checked-files';
import { ReleasePolicy } from './policy.schema';

/**
 * The text of a policy file, checked whole. `file` is only named in errors.
 * @throws TaskError `policy_invalid` with every problem at once, each with line:column, field, expectation and value
 */
export function loadPolicy(text: string, file: string): ReleasePolicy {
  return parseYamlFile({
    code: 'policy_invalid',
    phase: 'dispatch',
    file,
    wanted: 'a valid release policy',
    text,
    schema: ReleasePolicy,
  });
}
