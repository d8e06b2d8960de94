import type { GradeSpec } from '@assay/contracts';
import { InfraError, TaskError } from '@assay/failures';
import type { ExecResult, Sandbox } from '@assay/sandbox';
import { applyFailed } from '../grade/apply-failed';

/** Where every SWE-bench image has its repository, whatever its WORKDIR says. */
export const TESTBED = '/testbed';

const PATCH_FILE = '/tmp/patch.diff';
const STEP_MS = 600_000;

/** Tried in this order; the first that ends with 0 wins (harness 5.0.2, run_evaluation.py). */
const ATTEMPTS = [
  ['git', 'apply', '--verbose'],
  ['git', 'apply', '--verbose', '--3way'],
  ['git', 'apply', '--verbose', '--reject'],
  ['patch', '--batch', '--forward', '--fuzz=5', '-p1', '-i'],
];

/** Between two attempts, so that none works on what another left half done. */
const RESET = ['/bin/bash', '-c', 'git checkout -- . ; git clean -fd'];

/** A patch that can be taken back is there already. */
const APPLIED_ALREADY = ['git', 'apply', '--check', '--reverse'];

/**
 * Applies a patch as harness 5.0.2 does. Resolves to the attempt that worked, or `already applied`.
 * @throws TaskError or InfraError `patch_apply_failed` by the patch's origin; TaskError `image_without_testbed`
 */
export async function applyByChain(
  sandbox: Sandbox,
  { patch, origin, signal }: { patch: Buffer; origin: GradeSpec['patchOrigin']; signal: AbortSignal },
): Promise<string> {
  const step = async (command: readonly string[], cwd?: string): Promise<ExecResult> => {
    const request = { command, timeoutMs: STEP_MS, maxOutputBytes: 65_536, signal };
    const result = await sandbox.exec(cwd === undefined ? request : { ...request, cwd });
    signal.throwIfAborted();
    if (result.exitCode !== null) return result;
    throw new InfraError(`"${command.join(' ')}" was killed`, { code: 'patch_step_killed', phase: 'grade' });
  };
  if ((await step(['test', '-d', TESTBED], '/')).exitCode !== 0) {
    throw new TaskError(`the image has no ${TESTBED}`, { code: 'image_without_testbed', phase: 'grade' });
  }
  await sandbox.putFile(PATCH_FILE, patch);
  let said = '';
  for (const [index, attempt] of ATTEMPTS.entries()) {
    if (index > 0) await step(RESET, TESTBED);
    const result = await step([...attempt, PATCH_FILE], TESTBED);
    if (result.exitCode === 0) return attempt.join(' ');
    said = result.output.toString('utf8');
  }
  if ((await step([...APPLIED_ALREADY, PATCH_FILE], TESTBED)).exitCode === 0) return 'already applied';
  throw applyFailed(origin, said);
}
