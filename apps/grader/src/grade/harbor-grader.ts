import { dirname, join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import type { ArtifactRef } from '@assay/contracts';
import { BlamedError, InfraError } from '@assay/failures';
import type { WorkContext, WorkResult } from '@assay/messaging';
import type { ExecResult, Sandbox } from '@assay/sandbox';
import { unpackTask, verifierSeconds, type UnpackedTask } from '@assay/suites';
import { ARTIFACTS } from '../tokens';
import { failedGrade, patchApplyFailed, testsTimedOut } from './failed-grade';
import { GradeSandboxes, type GradeSandbox } from './grade-sandboxes';
import { readReward } from './reward';

const MAX_PATCH = 268_435_456;
const MAX_LOG = 67_108_864;
const MAX_REWARD = 65_536;
const STEP_MS = 120_000;

/** Grades a Harbor task: the patch in a fresh sandbox, then the task's own tests, then the reward that they wrote. */
@Injectable()
export class HarborGrader {
  constructor(
    private readonly sandboxes: GradeSandboxes,
    @Inject(ARTIFACTS) private readonly artifacts: ArtifactStore,
  ) {}

  async grade(work: WorkContext<'grade'>, patchRef: ArtifactRef): Promise<WorkResult<'grade'>> {
    const started = Date.now();
    const folder = await this.sandboxes.folder(work);
    let made: GradeSandbox | null = null;
    try {
      const unpacked = await unpackTask({ file: folder.bundle }, join(folder.dir, work.spec.instance.id));
      const seconds = verifierSeconds(unpacked.task, work.spec.grader);
      const { kind } = unpacked.task.environment.image;
      made = await this.sandboxes.create(work, kind === 'build' ? unpacked.environmentDir : null, seconds);
      const patch = await this.artifacts.get(patchRef, MAX_PATCH);
      const refused = await apply(made.sandbox, patch, work.signal);
      if (refused !== null) return failedGrade(work, patchApplyFailed(work, refused), []);
      return await this.judge(work, unpacked, made, { seconds, started });
    } finally {
      await made?.sandbox.destroy();
      await folder.remove();
    }
  }

  private async judge(
    work: WorkContext<'grade'>,
    unpacked: UnpackedTask,
    { sandbox, imageId }: GradeSandbox,
    { seconds, started }: { seconds: number; started: number },
  ): Promise<WorkResult<'grade'>> {
    const result = await runTests(sandbox, unpacked, seconds, work.signal);
    work.signal.throwIfAborted();
    const log = await this.artifacts.put('grade_log', 'text/plain', result.output);
    if (result.timedOut) return failedGrade(work, testsTimedOut(seconds), [log]);
    // Whatever the tests left running must not write a reward after they have ended.
    await sandbox.kill();
    try {
      if (result.outOfMemory) throw outOfMemory(result);
      const reward = await readReward(await verifierFolder(sandbox), result.exitCode);
      return {
        outcome: {
          kind: 'graded',
          verdict: reward === 1 ? 'RESOLVED' : 'UNRESOLVED',
          reward,
          graderVersion: work.spec.grader.version,
          suspicions: [],
          imageId,
          durationMs: Date.now() - started,
        },
        artifacts: [log],
      };
    } catch (error) {
      if (error instanceof BlamedError) return failedGrade(work, error, [log]);
      throw error;
    }
  }
}

/** Null when the patch applied, else git's words. The tree above the working directory is not git's business. */
async function apply(sandbox: Sandbox, patch: Buffer, signal: AbortSignal): Promise<string | null> {
  const file = `${sandbox.paths.logs}/verifier/model.patch`;
  await sandbox.putFile(file, patch);
  const { exitCode, output } = await sandbox.exec({
    command: ['git', 'apply', '--whitespace=nowarn', file],
    env: {
      GIT_CEILING_DIRECTORIES: dirname(sandbox.workdir),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
    },
    timeoutMs: STEP_MS,
    maxOutputBytes: 65_536,
    signal,
  });
  signal.throwIfAborted();
  return exitCode === 0 ? null : output.toString('utf8');
}

async function runTests(
  sandbox: Sandbox,
  { testsDir, task }: UnpackedTask,
  seconds: number,
  signal: AbortSignal,
): Promise<ExecResult> {
  // A patch may have planted a reward: the folder is new, and ours, when the tests start.
  const verifier = `${sandbox.paths.logs}/verifier`;
  await sandbox.exec({
    command: ['sh', '-c', 'rm -rf "$1" && mkdir -p "$1"', 'sh', verifier],
    timeoutMs: STEP_MS,
    maxOutputBytes: 65_536,
    signal,
  });
  await sandbox.putFolder(testsDir, sandbox.paths.tests);
  return sandbox.exec({
    command: ['bash', `${sandbox.paths.tests}/test.sh`],
    env: { ...task.environment.env, ...task.verifier.env },
    timeoutMs: seconds * 1000,
    maxOutputBytes: MAX_LOG,
    signal,
  });
}

async function verifierFolder(sandbox: Sandbox): Promise<Parameters<typeof readReward>[0]> {
  const dir = `${sandbox.paths.logs}/verifier`;
  const names = await sandbox.list(dir);
  return { names, read: (name) => sandbox.getFile(`${dir}/${name}`, MAX_REWARD) };
}

function outOfMemory({ exitCode }: ExecResult): InfraError {
  return new InfraError('the kernel killed a process of the tests for memory', {
    code: 'tests_out_of_memory',
    phase: 'grade',
    details: { exitCode },
  });
}
