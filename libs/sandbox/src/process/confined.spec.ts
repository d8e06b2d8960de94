import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfinedRoot } from './confined';

let dir: string;
let root: ConfinedRoot;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-confined-'));
  root = new ConfinedRoot(join(dir, 'root'));
  await mkdir(root.dir);
  await mkdir(join(dir, 'outside'));
});
afterEach(() => rm(dir, { recursive: true }));

const escapes = { blame: 'agent', code: 'path_escapes_sandbox' };

test('a link on the way is never followed: nothing is written behind it', async () => {
  await symlink(join(dir, 'outside'), join(root.dir, 'link'));
  await expect(root.makeFolder(join(root.dir, 'link/below'))).rejects.toMatchObject(escapes);
  await expect(root.writeFile(join(root.dir, 'link/file'), Buffer.from('x'), 0o644)).rejects.toMatchObject(escapes);
  expect(await root.list(join(root.dir, 'link'))).toEqual([]);
});

test('a path outside of it, or a folder in the place of a file, is refused', async () => {
  await expect(root.makeFolder(join(dir, 'outside'))).rejects.toMatchObject(escapes);
  await mkdir(join(root.dir, 'folder'));
  await expect(root.writeFile(join(root.dir, 'folder'), Buffer.from('x'), 0o644)).rejects.toMatchObject(escapes);
});

test('a link in the place of a file is taken away, and what it led to stays', async () => {
  await writeFile(join(dir, 'outside/kept'), 'kept');
  await symlink(join(dir, 'outside/kept'), join(root.dir, 'file'));
  await root.writeFile(join(root.dir, 'file'), Buffer.from('ours'), 0o644);
  expect(await readFile(join(root.dir, 'file'), 'utf8')).toBe('ours');
  expect(await readFile(join(dir, 'outside/kept'), 'utf8')).toBe('kept');
});

test('a path from inside is looked up below it, and one that is below it already stands for itself', () => {
  expect(root.locate('/etc/x', root.dir)).toBe(join(root.dir, 'etc/x'));
  expect(root.locate(join(root.dir, 'a'), root.dir)).toBe(join(root.dir, 'a'));
});
