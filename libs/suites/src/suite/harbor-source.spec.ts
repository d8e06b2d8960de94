import { withTempDir, writeFolder, writeTask } from '@assay/testing';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contextDigest, packTask } from '../bundles/pack-folder';
import { loadSuite } from './load-suite';
import { openSource } from './task-source';

const open = async (dir: string, tasks?: string[], more = '') => {
  const source = JSON.stringify({ kind: 'harbor', path: 'tasks', ...(tasks === undefined ? {} : { tasks }) });
  await writeFile(
    join(dir, 'suite.yaml'),
    `schema: assay.suite/1\nname: suite\ntitle: T\ndataset: {name: d, revision: r}\nsource: ${source}\n` +
      `publish: none\nerrorThreshold: 1\nagent: {name: nop}\n${more}`,
  );
  return openSource(await loadSuite(join(dir, 'suite.yaml')));
};

async function writeTasks(dir: string, ...names: string[]): Promise<void> {
  for (const name of names) await writeTask(join(dir, 'tasks', name));
}

test.each([
  [undefined, ['B-1', 'a-1', 'a-10', 'a-2', 'b.x']],
  [['a-*'], ['a-1', 'a-10', 'a-2']],
  [['a-?'], ['a-1', 'a-2']],
  [
    ['a-2', 'a-1', 'a-2'],
    ['a-1', 'a-2'],
  ],
  [
    ['b.*', 'B-1'],
    ['B-1', 'b.x'],
  ],
])('tasks %j are %j, sorted by code units', (tasks, expected) =>
  withTempDir(async (dir) => {
    await writeTasks(dir, 'a-2', 'a-10', 'a-1', 'B-1', 'b.x');
    await writeFolder(dir, { 'tasks/README.md': 'not a task', 'tasks/.cache/file': 'not a task' });
    expect((await open(dir, tasks)).ids).toEqual(expected);
  }),
);

test('an instance is packed as its folder, with the digest of its context or the name of its image', () =>
  withTempDir(async (dir) => {
    await writeTasks(dir, 'built');
    await writeTask(join(dir, 'tasks/named'), { 'task.toml': '[environment]\ndocker_image = "x:1"\n' });
    const source = await open(dir);
    const folder = join(dir, 'tasks/built');
    const [built, named] = source.ids;
    expect(await source.pack(built!)).toEqual({
      source: 'harbor',
      content: await packTask(folder),
      mediaType: 'application/x-tar',
      image: { kind: 'build', contextDigest: await contextDigest(join(folder, 'environment')) },
    });
    expect((await source.pack(named!)).image).toEqual({ kind: 'reference', reference: 'x:1' });
  }));

test('names and patterns that match nothing are refused, all at once', () =>
  withTempDir(async (dir) => {
    await writeTasks(dir, 'a');
    await expect(open(dir, ['a', 'gone', 'x*'])).rejects.toMatchObject({
      code: 'suite_invalid',
      message: `${join(dir, 'suite.yaml')}: source.tasks: no folder in ${join(dir, 'tasks')} matches gone, x*`,
    });
  }));

test('a dot in a pattern is a dot, and a pattern never leaves its folder', () =>
  withTempDir(async (dir) => {
    await writeTasks(dir, 'axb');
    await expect(open(dir, ['a.b'])).rejects.toThrow('matches a.b');
    await expect(open(dir, ['../tasks/axb'])).rejects.toThrow('matches ../tasks/axb');
  }));

test('a folder that is not there is told as such', () =>
  withTempDir(async (dir) => {
    await expect(open(dir)).rejects.toThrow(
      `source.path: expected a folder of task folders, got ${join(dir, 'tasks')}`,
    );
  }));

test('folder names that cannot be instance ids are refused', () =>
  withTempDir(async (dir) => {
    await writeTasks(dir, 'fine', 'two words');
    await expect(open(dir)).rejects.toThrow('no instance ids: two words');
  }));

test('every broken task is told in one error', () =>
  withTempDir(async (dir) => {
    await writeTasks(dir, 'fine');
    await writeTask(join(dir, 'tasks/one'), { 'task.toml': 'agent = 1' });
    await writeTask(join(dir, 'tasks/two'), { 'tests/test.sh': null });
    const opening = open(dir);
    await expect(opening).rejects.toMatchObject({ code: 'task_invalid', blame: 'task' });
    await expect(opening).rejects.toThrow(/one\/task\.toml[\s\S]*two is not a task folder: tests\/test\.sh is missing/);
  }));

test('what has no effect is told once for all instances that it concerns', () =>
  withTempDir(async (dir) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await writeTask(join(dir, 'tasks', name), { 'task.toml': '[agent]\nfoo = 1\n[environment]\nmemory_mb = 8192\n' });
    }
    await writeTasks(dir, 'f');
    const { warnings } = await open(dir, undefined, 'limits: { memoryMb: 1024 }\n');
    expect(warnings).toEqual([
      'agent.foo: unknown key, it has no effect (a, b, c and 2 more)',
      'environment.memory_mb: the task wants 8192, the suite gives 1024 (a, b, c and 2 more)',
    ]);
  }));
