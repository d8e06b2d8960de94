import { memberParts, taskFolderOf } from './archive-member';

test.each([
  ['tasks/a/b/instruction.md', ['tasks', 'a', 'b', 'instruction.md']],
  ['./tasks/a/', ['tasks', 'a']],
  ['./', ['.']],
  ['.', ['.']],
  ['tasks/..data/x', ['tasks', '..data', 'x']],
])('%j has the parts %j', (name, parts) => {
  expect(memberParts(name)).toEqual(parts);
});

test.each(['/etc/passwd', 'tasks/../../x', '..', 'tasks//x', 'tasks/./x', 'a\\b', 'a\0b', '', './../x', '//'])(
  '%j is no plain relative path',
  (name) => {
    expect(memberParts(name)).toBeNull();
  },
);

test.each([
  ['tasks/0a1b/regex-log/instruction.md', 'regex-log'],
  ['tasks/0a1b/group/regex-log/instruction.md', 'regex-log'],
  ['tasks/regex-log/instruction.md', null],
  ['tasks/packages/org/regex-log/instruction.md', null],
  ['tasks/0a1b/regex-log/task.toml', null],
  ['tasks/0a1b/regex-log/instruction.md.bak', null],
  ['other/0a1b/regex-log/instruction.md', null],
  ['tasks/0a1b/packages/instruction.md', 'packages'],
])('%s makes known the task %s', (name, task) => {
  expect(taskFolderOf(memberParts(name) ?? [])?.name ?? null).toBe(task);
});
