import type { InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { join } from 'node:path';
import { contextDigest, packTask } from '../bundles/pack-folder';
import { sortedIds } from '../selection/sorted-ids';
import type { HarborTask } from '../tasks/harbor-task';
import { parseImage } from '../swebench/image-reference';
import { readTask } from '../tasks/read-task';
import type { Suite } from './load-suite';
import type { PackedInstance, TaskSource } from './task-source';
import { groupedWarnings } from './warnings';

interface ReadFolder {
  readonly dir: string;
  readonly task: HarborTask;
}

/** Harbor task folders that have been read, one instance each. */
export class TaskFolders implements TaskSource {
  readonly ids: readonly InstanceId[];
  readonly warnings: readonly string[];

  private constructor(
    private readonly tasks: ReadonlyMap<InstanceId, ReadFolder>,
    suite: Suite,
    readonly close: () => Promise<void>,
  ) {
    this.ids = [...tasks.keys()];
    this.warnings = groupedWarnings(
      [...tasks].map(([id, { task }]) => [id, [...task.warnings, ...shortages(task, suite.limits)]]),
    );
  }

  /** @throws TaskError as `readTask`, of all tasks at once */
  static async read(
    suite: Suite,
    folders: ReadonlyMap<InstanceId, string>,
    close: () => Promise<void> = () => Promise.resolve(),
  ): Promise<TaskFolders> {
    const tasks = new Map<InstanceId, ReadFolder>();
    const failed: TaskError[] = [];
    for (const id of sortedIds(folders.keys())) {
      const dir = folders.get(id) ?? '';
      try {
        tasks.set(id, { dir, task: await readTask(dir) });
      } catch (error) {
        if (!(error instanceof TaskError)) throw error;
        failed.push(error);
      }
    }
    const [first] = failed;
    if (first === undefined) return new TaskFolders(tasks, suite, close);
    if (failed.length === 1) throw first;
    throw new TaskError(failed.map(({ message }) => message).join('\n'), {
      code: first.code,
      phase: 'dispatch',
      details: { tasks: failed.map(({ details }) => details) },
    });
  }

  async pack(id: InstanceId): Promise<PackedInstance> {
    const found = this.tasks.get(id);
    if (found === undefined) throw new RangeError(`no such instance: ${id}`);
    const { dir, task } = found;
    const { image } = task.environment;
    return {
      source: 'harbor',
      content: await packTask(dir),
      mediaType: 'application/x-tar',
      image:
        image.kind === 'build'
          ? { kind: 'build', contextDigest: await contextDigest(join(dir, 'environment')) }
          : (parseImage(image.reference) ?? { kind: 'reference', reference: image.reference }),
    };
  }
}

function shortages(task: HarborTask, limits: Suite['limits']): string[] {
  const wants = [
    ['cpus', task.environment.cpus, limits.cpus],
    ['memory_mb', task.environment.memoryMb, limits.memoryMb],
    ['storage_mb', task.environment.diskMb, limits.diskMb],
  ] as const;
  return wants.flatMap(([key, wanted, given]) =>
    wanted !== null && wanted > given ? [`environment.${key}: the task wants ${wanted}, the suite gives ${given}`] : [],
  );
}
