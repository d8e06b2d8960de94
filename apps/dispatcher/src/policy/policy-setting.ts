import { readFileSync } from 'node:fs';
import { loadPolicy, type ReleasePolicy } from '@assay/release-policy';
import { fileSetting, type Setting } from '@assay/service-kit';

/** The variable names a policy file; the value is what stands in it, checked whole. */
export function policyFile(): Setting<ReleasePolicy> {
  return fileSetting('the path of a release policy (docs/release-policy.md)', (file) =>
    loadPolicy(readFileSync(file, 'utf8'), file),
  );
}
