import { INSTANCE_ID_PATTERN, type InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { contextDigest, packTask } from '../bundles/pack-folder';
import type { HarborTask } from '../tasks/harbor-task';
import { readTask } from '../tasks/read-task';
import type { Suite } from './load-suite';
import type { PackedInstance, TaskSource } from './task-source';
import { groupedWarnings } from './warnings';

type Source = Extract<Suite['source'], { kind: 'harbor' }>;

/** Harbor task folders, one instance each. */
export class HarborSource implements TaskSource {
  readonly ids: readonly InstanceId[];
  readonly warnings: readonly string[];

  private constructor(
    private readonly folder: string,
    private readonly tasks: ReadonlyMap<InstanceId, HarborTask>,
    suite: Suite,
  ) {
    this.ids = [...tasks.keys()];
    this.warnings = groupedWarnings(
      [...tasks].map(([id, task]) => [id, [...task.warnings, ...shortages(task, suite.limits)]]),
    );
  }

  static async open(suite: Suite, source: Source): Promise<HarborSource> {
    const names = await matching(suite, source);
    const tasks = new Map<InstanceId, HarborTask>();
    const failed: TaskError[] = [];
    for (const name of names) {
      try {
        tasks.set(name, await readTask(join(source.path, name)));
      } catch (error) {
        if (!(error instanceof TaskError)) throw error;
        failed.push(error);
      }
    }
    const [first] = failed;
    if (first === undefined) return new HarborSource(source.path, tasks, suite);
    if (failed.length === 1) throw first;
    throw new TaskError(failed.map(({ message }) => message).join('\n'), {
      code: first.code,
      phase: 'dispatch',
      details: { tasks: failed.map(({ details }) => details) },
    });
  }

  async pack(id: InstanceId): Promise<PackedInstance> {
    const task = this.tasks.get(id);
    if (task === undefined) throw new RangeError(`no such instance: ${id}`);
    const dir = join(this.folder, id);
    const { image } = task.environment;
    return {
      source: 'harbor',
      content: await packTask(dir),
      mediaType: 'application/x-tar',
      image:
        image.kind === 'build'
          ? { kind: 'build', contextDigest: await contextDigest(join(dir, 'environment')) }
          : { kind: 'reference', reference: image.reference },
    };
  }
}

/** Sorted names of the folders that the suite's names and patterns match. */
async function matching(suite: Suite, source: Source): Promise<InstanceId[]> {
  const invalid = (message: string, details: Record<string, unknown>, cause?: unknown) =>
    new TaskError(`${suite.file}: ${message}`, { code: 'suite_invalid', phase: 'dispatch', details, cause });
  const entries = await readdir(source.path, { withFileTypes: true }).catch((cause: unknown) => {
    throw invalid(`source.path: expected a folder of task folders, got ${source.path}`, { path: source.path }, cause);
  });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  const chosen = new Set<string>();
  const unmatched: string[] = [];
  for (const pattern of source.tasks) {
    const matched = folders.filter(({ name }) => globToRegExp(pattern).test(name));
    if (matched.length === 0) unmatched.push(pattern);
    for (const { name } of matched) chosen.add(name);
  }
  if (unmatched.length > 0) {
    throw invalid(`source.tasks: no folder in ${source.path} matches ${unmatched.join(', ')}`, { unmatched });
  }
  const unfit = [...chosen].filter((name) => !INSTANCE_ID_PATTERN.test(name));
  if (unfit.length > 0) {
    throw invalid(`source.path: folder names that are no instance ids: ${unfit.join(', ')}`, { unfit });
  }
  return [...chosen].sort() as InstanceId[];
}

/** `*` any run of characters, `?` any one; all else stands for itself. */
function globToRegExp(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`);
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
