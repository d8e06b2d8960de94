import { INSTANCE_ID_PATTERN, type InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Suite } from './load-suite';
import { TaskFolders } from './task-folders';
import type { TaskSource } from './task-source';

type Source = Extract<Suite['source'], { kind: 'harbor' }>;

/** Harbor task folders that lie in one folder. */
export async function openHarbor(suite: Suite, source: Source): Promise<TaskSource> {
  const names = await matching(suite, source);
  return TaskFolders.read(suite, new Map(names.map((name) => [name, join(source.path, name)])));
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
