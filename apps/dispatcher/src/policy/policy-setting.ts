import { readFileSync } from 'node:fs';
import { loadPolicy, type ReleasePolicy } from '@assay/release-policy';
import { fileSetting, type Setting } from '@assay/service-kit';

/** A policy file that holds by itself. */
export interface PolicyFile {
  readonly file: string;
  readonly text: string;
  readonly policy: ReleasePolicy;
}

export const EXPECTED = 'the path of a release policy (docs/release-policy.md)';

/** The variable names a policy file; the value is what stands in it, checked whole. */
export function policyFile(): Setting<PolicyFile> {
  return fileSetting(EXPECTED, (file) => {
    const text = readFileSync(file, 'utf8');
    return { file, text, policy: loadPolicy(text, file) };
  });
}
