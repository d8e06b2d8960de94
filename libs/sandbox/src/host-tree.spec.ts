import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HostEntry, hostEntries } from './host-tree';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-tree-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function entries(): Promise<HostEntry[]> {
  const found: HostEntry[] = [];
  for await (const entry of hostEntries(dir, 'prepare')) found.push(entry);
  return found;
}

test('folders come before what is in them, all by name, links as links', async () => {
  await mkdir(join(dir, 'b'));
  await writeFile(join(dir, 'b/file'), '12345');
  await writeFile(join(dir, 'a'), '');
  await symlink('b/file', join(dir, 'c'));
  expect((await entries()).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'file a',
    'folder b',
    'file b/file',
    'link c',
  ]);
});

test.each([
  ['a link out of it', 'ln -s ../x link', 'link_escapes', 'link'],
  ['a link to the root', 'ln -s / link', 'link_escapes', 'link'],
  ['a pipe', 'mkdir a && mkfifo a/pipe', 'unsupported_file', 'a/pipe'],
])('%s is the fault of the task, named by its path', async (_name, script, code, path) => {
  execFileSync('sh', ['-c', script], { cwd: dir });
  await expect(entries()).rejects.toMatchObject({ blame: 'task', code, phase: 'prepare', details: { path } });
});
