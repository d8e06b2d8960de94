import type { GradingRules } from '../rules';
import { infraFailureIn, type InfraFailureReason } from './infra-failure';
import type { Resolution } from './resolution';
import type { TestsStatus } from './tests-status';

/**
 * What report.json holds under an instance's id, keys in the harness's order. `patch_successfully_applied` is false too
 * where the patch applied and the log says nothing; the two infra keys are absent under the rules of 4.1.0.
 */
export interface InstanceReport {
  readonly patch_is_None: boolean;
  readonly patch_exists: boolean;
  readonly patch_successfully_applied: boolean;
  readonly resolved: boolean;
  readonly infra_failure?: boolean;
  readonly infra_failure_reason?: InfraFailureReason;
  readonly tests_status?: TestsStatus;
}

/** The report of an instance without a patch. */
export function reportWithoutPatch(rules: GradingRules): InstanceReport {
  return {
    patch_is_None: true,
    patch_exists: false,
    patch_successfully_applied: false,
    resolved: false,
    ...noInfraFailure(rules),
  };
}

/** The report of a log that says nothing that counts. */
export function reportNotFound(content: string, rules: GradingRules): InstanceReport {
  const base = { patch_is_None: false, patch_exists: true, patch_successfully_applied: false, resolved: false };
  const failure = rules === 'swebench-4.1.0' ? null : infraFailureIn(content);
  if (failure === null) return { ...base, ...noInfraFailure(rules) };
  return { ...base, infra_failure: failure.tier === 'environment', infra_failure_reason: failure.reason };
}

/** The report of a log that was read. */
export function reportFound(tests: TestsStatus, resolution: Resolution, rules: GradingRules): InstanceReport {
  return {
    patch_is_None: false,
    patch_exists: true,
    patch_successfully_applied: true,
    resolved: resolution === 'RESOLVED_FULL',
    ...noInfraFailure(rules),
    tests_status: tests,
  };
}

function noInfraFailure(rules: GradingRules): { infra_failure?: boolean } {
  return rules === 'swebench-4.1.0' ? {} : { infra_failure: false };
}

// What Python's json.dumps escapes and JSON.stringify does not.
const NOT_ASCII = /[\x7f-\uffff]/g;

/** The bytes of the harness's report.json: indent 4, ASCII only, no newline at the end. */
export function reportJson(instanceId: string, report: InstanceReport): string {
  return JSON.stringify({ [instanceId]: report }, null, 4).replace(
    NOT_ASCII,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
