import { readdirSync } from 'node:fs';
import { BlamedError } from '@assay/failures';
import { loadPolicy } from '@assay/release-policy';
import { reasonOf } from '@assay/service-kit';
import type { z } from 'zod';
import { suiteNamesOf } from '../suites/suite-library';
import { EXPECTED, type PolicyFile } from './policy-setting';

interface PolicySettings {
  readonly ASSAY_POLICY_FILE?: PolicyFile | undefined;
  readonly ASSAY_SUITES_DIR: string;
}

/**
 * The settings' schema with the rule that a policy names no suite that the deployment does not have: a release would be
 * refused for it, months after the mistake.
 */
export function policyTogether<T extends z.ZodType<PolicySettings>>(schema: T): T {
  return schema.superRefine(({ ASSAY_POLICY_FILE: policy, ASSAY_SUITES_DIR: dir }, context) => {
    if (policy === undefined) return;
    const problem = problemOf(policy, dir);
    if (problem !== null) context.addIssue({ code: 'custom', ...problem });
  });
}

function problemOf({ file, text }: PolicyFile, dir: string): { path: [string]; message: string } | null {
  let names: string[];
  try {
    names = suiteNamesOf(readdirSync(dir, { withFileTypes: true }));
  } catch (error) {
    const message = `expected a folder of suite files, but it cannot be read: ${reasonOf(error)}`;
    return { path: ['ASSAY_SUITES_DIR'], message };
  }
  try {
    loadPolicy(text, file, names);
    return null;
  } catch (error) {
    if (!(error instanceof BlamedError)) throw error;
    return { path: ['ASSAY_POLICY_FILE'], message: `expected ${EXPECTED}, but ${error.message}` };
  }
}
