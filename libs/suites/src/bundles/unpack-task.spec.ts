import { withTempDir, writeTask } from '@assay/testing';
import { join } from 'node:path';
import { contextDigest, packTask } from './pack-folder';
import { unpackTask } from './unpack-task';

test('a task comes out of its bundle with the same context, tests and solution', () =>
  withTempDir(async (root) => {
    const original = await writeTask(join(root, 'original'));
    const dir = join(root, 'copy');
    const unpacked = await unpackTask(await packTask(original), dir);
    expect(unpacked).toMatchObject({
      dir,
      task: { id: 'copy', instruction: 'Make it work.\n' },
      environmentDir: join(dir, 'environment'),
      testsDir: join(dir, 'tests'),
      solutionDir: join(dir, 'solution'),
    });
    expect(await contextDigest(unpacked.environmentDir)).toBe(await contextDigest(join(original, 'environment')));
  }));

test('a task without a solution has no folder for it', () =>
  withTempDir(async (root) => {
    const original = await writeTask(join(root, 'original'), { 'solution/solve.sh': null });
    expect((await unpackTask(await packTask(original), join(root, 'copy'))).solutionDir).toBeNull();
  }));

test('a bundle of a broken task is the fault of the task, in the phase that unpacks it', () =>
  withTempDir(async (root) => {
    const original = await writeTask(join(root, 'original'), { 'task.toml': 'agent = 1' });
    await expect(unpackTask(await packTask(original), join(root, 'copy'))).rejects.toMatchObject({
      code: 'task_invalid',
      phase: 'prepare',
    });
  }));
