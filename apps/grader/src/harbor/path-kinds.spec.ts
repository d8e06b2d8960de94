import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTempDir } from '@assay/testing';
import { kindsOf } from './path-kinds';

test('files, links and folders are told apart, and nothing lies at a path that is not there or leads through a file', () =>
  withTempDir(async (dir) => {
    await writeFile(join(dir, 'file'), '');
    await mkdir(join(dir, 'folder'));
    await symlink('nowhere', join(dir, 'link'));
    const kinds = await kindsOf(dir, ['file', 'folder', 'link', 'gone', 'file/below']);
    expect([...kinds.values()]).toEqual(['file', 'folder', 'link', null, null]);
  }));

test('a path at which nobody can look is not taken for nothing', () =>
  withTempDir(async (dir) => {
    await expect(kindsOf(dir, ['x'.repeat(300)])).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  }));
