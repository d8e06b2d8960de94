import { join } from 'node:path';
import type { HarborTask } from '../tasks/harbor-task';
import { readTask } from '../tasks/read-task';
import { type BundleSource, unpackFolder } from './unpack-folder';

/** An unpacked task. The folders are paths on the host; tests and solution never enter a trial's sandbox. */
export interface UnpackedTask {
  readonly dir: string;
  readonly task: HarborTask;
  /** The build context; may be absent on disk where the task names an image. */
  readonly environmentDir: string;
  readonly testsDir: string;
  /** Null: the task has no solution. */
  readonly solutionDir: string | null;
}

/**
 * Unpacks a task's bundle into `dir` and reads it. The last part of `dir` becomes `task.id`.
 * @throws ContractError `bundle_malformed`, TaskError as `readTask`
 */
export async function unpackTask(bundle: BundleSource, dir: string): Promise<UnpackedTask> {
  await unpackFolder(bundle, dir);
  const task = await readTask(dir, 'prepare');
  return {
    dir,
    task,
    environmentDir: join(dir, 'environment'),
    testsDir: join(dir, 'tests'),
    solutionDir: task.solution === null ? null : join(dir, 'solution'),
  };
}
