import { ContractError } from '@assay/failures';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';
import { unpackFolder } from './unpack-folder';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-unpack-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A tar as an enemy would write it. */
function tarOf(...entries: [Partial<Header> & { name: string }, string?][]): Promise<Buffer> {
  const tar = pack();
  const whole = buffer(tar);
  for (const [header, text] of entries) tar.entry(header, text ?? '');
  tar.finalize();
  return whole;
}

test('folders and files come out with their contents and executable bits', async () => {
  const bundle = await tarOf(
    [{ name: 'a/', type: 'directory' }],
    [{ name: 'a/run', mode: 0o777 }, 'x'],
    [{ name: 'b/deep/file', mode: 0o600 }, 'text'],
  );
  const dir = join(root, 'new/folder');
  await unpackFolder(bundle, dir);
  expect(await readFile(join(dir, 'b/deep/file'), 'utf8')).toBe('text');
  expect((await stat(join(dir, 'a/run'))).mode & 0o777).toBe(0o755);
  expect((await stat(join(dir, 'b/deep/file'))).mode & 0o777).toBe(0o644);
});

test('a bundle is read from a file of the host too', async () => {
  await writeFile(join(root, 'bundle.tar'), await tarOf([{ name: 'a' }, 'x']));
  await unpackFolder({ file: join(root, 'bundle.tar') }, join(root, 'out'));
  expect(await readdir(join(root, 'out'))).toEqual(['a']);
});

test('a set-user-id bit does not survive', async () => {
  await unpackFolder(await tarOf([{ name: 'a', mode: 0o6755 }, 'x']), root);
  expect((await stat(join(root, 'a'))).mode & 0o7777).toBe(0o755);
});

test.each([['/etc/passwd'], ['../escape'], ['a/../../escape'], ['a/..'], ['./a'], ['a//b'], ['a/./b'], ['..\\escape']])(
  'the name %j is refused',
  async (name) => {
    const unpacking = unpackFolder(await tarOf([{ name }, 'x']), join(root, 'in'));
    await expect(unpacking).rejects.toThrow('not a plain relative path');
    await expect(unpacking).rejects.toBeInstanceOf(ContractError);
    expect(await readdir(root)).toEqual(['in']);
    expect(await readdir(join(root, 'in'))).toEqual([]);
  },
);

test.each([
  ['symlink', '/etc'],
  ['symlink', 'a'],
  ['link', 'a'],
  ['fifo', undefined],
  ['character-device', undefined],
  ['block-device', undefined],
] as const)('a %s (to %s) is refused', async (type, linkname) => {
  const bundle = await tarOf([{ name: 'x', type, ...(linkname === undefined ? {} : { linkname }) }]);
  await expect(unpackFolder(bundle, root)).rejects.toThrow(`a ${type} is not allowed`);
  expect(await readdir(root)).toEqual([]);
});

test('a name that occurs twice is refused', async () => {
  await expect(unpackFolder(await tarOf([{ name: 'a' }, '1'], [{ name: 'a' }, '2']), root)).rejects.toThrow('twice');
});

test('a file where a folder is needed is refused', async () => {
  const bundle = await tarOf([{ name: 'a' }, '1'], [{ name: 'a/b' }, '2']);
  await expect(unpackFolder(bundle, root)).rejects.toMatchObject({ code: 'bundle_malformed' });
});

test('nothing that is there already is written over, and no link is followed', async () => {
  const victim = join(root, 'victim');
  await writeFile(victim, 'mine');
  const dir = await mkdtemp(join(root, 'out-'));
  await symlink(victim, join(dir, 'a'));
  await expect(unpackFolder(await tarOf([{ name: 'a' }, 'theirs']), dir)).rejects.toThrow('EEXIST');
  expect(await readFile(victim, 'utf8')).toBe('mine');
});

test('more bytes than allowed are refused before they are written', async () => {
  const bundle = await tarOf([{ name: 'a' }, 'x'.repeat(800)], [{ name: 'b' }, 'x'.repeat(800)]);
  await expect(unpackFolder(bundle, root, 1000)).rejects.toThrow('more than 1000 bytes');
  expect(await readdir(root)).toEqual(['a']);
});

test.each([
  ['nothing', () => Promise.resolve(Buffer.alloc(0))],
  ['zeroes', () => Promise.resolve(Buffer.alloc(1024))],
  ['noise', () => Promise.resolve(Buffer.from('this is no tar'.repeat(100)))],
  [
    'a tar that ends in the middle of a file',
    async () => (await tarOf([{ name: 'a' }, 'x'.repeat(5000)])).subarray(0, 1500),
  ],
])('%s is no bundle', async (_, make) => {
  await expect(unpackFolder(await make(), join(root, 'in'))).rejects.toMatchObject({
    code: 'bundle_malformed',
    blame: 'contract',
  });
});

test('a bundle file that is gone is told as such', async () => {
  await expect(unpackFolder({ file: join(root, 'gone') }, join(root, 'in'))).rejects.toThrow('ENOENT');
});
