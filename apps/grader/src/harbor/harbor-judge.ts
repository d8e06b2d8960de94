import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { GradeSpec } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { patchSuspicions } from '@assay/grading';
import type { Sandbox } from '@assay/sandbox';
import { verifierSeconds, type UnpackedTask } from '@assay/suites';
import { applyInTime, applySeconds } from '../grade/apply-in-time';
import type { Judge, Judgement, JudgeRequest } from '../grade/judge';
import { runTests, type TestRun } from '../grade/run-tests';
import { applyPatch } from './apply-patch';
import { readReward, type Reward } from './read-reward';
import { rewardError } from './reward';

/** Empties folders, and makes those that are not there; one that the image made a link is made a folder. */
const EMPTY = `
for d in "$@"; do
  if [ -L "$d" ]; then rm -f -- "$d" || exit 1; fi
  mkdir -p -- "$d" || exit 1
  rm -rf -- "$d"/..?* "$d"/.[!.]* "$d"/* || exit 1
done
`;

/**
 * Judges a Harbor task: the patch, the tests' folder, tests/test.sh, the reward. As Harbor does it, but strictly. Harbor
 * ignores the exit code of test.sh. Here it is recorded, and a run that failed can confirm a failing reward but never
 * stand beside a full one: reward 1 with another exit code than 0 is a broken task, not a resolved instance.
 */
export class HarborJudge implements Judge {
  constructor(
    private readonly unpacked: UnpackedTask,
    private readonly spec: GradeSpec,
  ) {}

  async judge(request: JudgeRequest): Promise<Judgement> {
    const { sandbox, patch, dir, signal } = request;
    const { task, testsDir } = this.unpacked;
    const { patchOrigin: origin, grader } = this.spec;
    const timeoutSeconds = verifierSeconds(task, grader);
    await applyInTime({ origin, seconds: applySeconds(timeoutSeconds), signal }, (inTime) =>
      applyPatch(sandbox, { patch, origin, dir: join(dir, 'patch'), signal: inTime }),
    );
    const script = `${sandbox.paths.tests}/test.sh`;
    const verifierDir = `${sandbox.paths.logs}/verifier`;
    // After the patch and before the tests: neither the image nor the patch can leave a reward or a test.
    await emptied(sandbox, [sandbox.paths.tests, verifierDir]);
    await chmod(join(testsDir, 'test.sh'), 0o755);
    await sandbox.putFolder(testsDir, sandbox.paths.tests);
    const run = await runTests(request, {
      command: ['bash', '-c', '"$0"', script],
      env: { ...task.environment.env, ...task.verifier.env },
      timeoutSeconds,
    });
    // What the tests left running must not write the reward while it is read.
    await sandbox.kill();
    return judgement(this.spec, await rewardOf(sandbox, verifierDir, run), run, patch);
  }
}

/** Takes out whatever lies in folders of the sandbox. @throws InfraError `folders_not_emptied` */
export async function emptied(sandbox: Sandbox, dirs: readonly string[]): Promise<void> {
  const command = ['sh', '-c', EMPTY, 'sh', ...dirs];
  const { exitCode, output } = await sandbox.exec({ command, timeoutMs: 60_000, maxOutputBytes: 4_096 });
  if (exitCode === 0) return;
  throw new InfraError(`the folders of the tests cannot be emptied: ${output.toString('utf8')}`, {
    code: 'folders_not_emptied',
    phase: 'grade',
    details: { dirs, exitCode },
  });
}

async function rewardOf(sandbox: Sandbox, verifierDir: string, run: TestRun): Promise<Reward> {
  try {
    const reward = await readReward(sandbox, verifierDir);
    if (reward.value < 1 || run.exitCode === 0) return reward;
  } catch (error) {
    // The bound is ours: without it there might have been a reward.
    if (!run.outOfMemory) throw error;
    throw new InfraError('the tests ran out of memory and left no reward', {
      code: 'tests_out_of_memory',
      phase: 'grade',
      cause: error,
    });
  }
  throw rewardError('tests_exit_nonzero', `test.sh left the reward 1 and ended with exit code ${run.exitCode}`);
}

function judgement(spec: GradeSpec, reward: Reward, run: TestRun, patch: Buffer): Judgement {
  const report = {
    instance_id: spec.instance.id,
    resolved: reward.value === 1,
    reward: reward.value,
    reward_file: reward.file,
    exit_code: run.exitCode,
    duration_ms: run.durationMs,
  };
  return {
    reward: reward.value,
    suspicions: [...patchSuspicions(patch.toString('utf8')), ...(run.outOfMemory ? ['tests_out_of_memory'] : [])],
    report: `${JSON.stringify(report, null, 2)}\n`,
  };
}
