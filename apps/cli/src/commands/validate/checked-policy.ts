import { loadPolicy, type ReleasePolicy } from '@assay/release-policy';
import { requireFolder, textIn } from '../../path-option';
import { suitesIn } from '../../suite-files';

/** A release policy that holds, beside these suites. */
export interface CheckedPolicy {
  readonly file: string;
  readonly policy: ReleasePolicy;
}

/**
 * Reads a release policy whole; the suites that it names must be in the folder.
 * @throws UsageError for what is no such file or folder; TaskError with every problem at once
 */
export function checkedPolicy(file: string, suitesDir: string): CheckedPolicy {
  const text = textIn({ option: '--policy', wanted: 'a release policy' }, file);
  requireFolder({ option: '--suites', wanted: 'a folder of suite files' }, suitesDir);
  return { file, policy: loadPolicy(text, file, suitesIn(suitesDir)) };
}

/** `assay.policy.yaml: valid, 5 rules for acme/agent; publishes prerelease` */
export function policyText({ file, policy }: CheckedPolicy): string {
  const { repositories, publication } = policy;
  const rules = repositories.reduce((sum, repository) => sum + repository.rules.length, 0);
  const names = repositories.map(({ name }) => name).join(', ');
  return `${file}: valid, ${rules} ${rules === 1 ? 'rule' : 'rules'} for ${names}; publishes ${publication}`;
}
