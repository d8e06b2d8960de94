import { TaskError } from '@assay/failures';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackTasks } from '../tasks/task-archive';
import { requireDataFile } from './data-file';
import { TaskFolders } from './task-folders';
import type { Suite } from './load-suite';
import type { TaskSource } from './task-source';
import { wordingOf } from './wording';

type Source = Extract<Suite['source'], { kind: 'terminal-bench' }>;

/** The tasks of an archive, unpacked into a folder of their own until the source is closed. */
export async function openTerminalBench(suite: Suite, source: Source): Promise<TaskSource> {
  await requireDataFile(suite.file, source);
  const dir = await mkdtemp(join(tmpdir(), `assay-tasks-${process.pid}-`));
  const close = () => rm(dir, { recursive: true, force: true });
  try {
    const folders = await unpackTasks(source.file, dir);
    const found = folders.size;
    if (found !== (source.expect ?? found) || found === 0) {
      throw new TaskError(wordingOf(suite).count(source.expect ?? 1, found), {
        code: 'suite_invalid',
        phase: 'dispatch',
        details: { file: source.file, expected: source.expect, found },
      });
    }
    return await TaskFolders.read(suite, folders, close);
  } catch (error) {
    await close();
    throw error;
  }
}
