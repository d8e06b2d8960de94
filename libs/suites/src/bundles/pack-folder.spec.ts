import { MINIMAL_TASK, writeFolder, writeTask } from '@assay/testing';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { contextDigest, packFolder, packTask } from './pack-folder';
import { unpackFolder } from './unpack-folder';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-pack-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function headersOf(bundle: Buffer) {
  const headers: { name: string; mode: number; mtime: number; uid: number; type: string }[] = [];
  for await (const entry of Readable.from([bundle]).pipe(extract())) {
    const { name, mode, mtime, uid, type } = entry.header;
    headers.push({ name, mode, mtime: mtime.getTime(), uid, type });
    entry.resume();
  }
  return headers;
}

test('the same content is the same bytes, whatever times, modes and order of writing', async () => {
  const first = await writeTask(join(root, 'first'));
  const second = await writeFolder(join(root, 'second'), Object.fromEntries(Object.entries(MINIMAL_TASK).reverse()));
  await chmod(join(second, 'instruction.md'), 0o600);
  await chmod(join(second, 'tests'), 0o700);
  await chmod(join(second, 'tests/test.sh'), 0o700);
  await utimes(join(second, 'task.toml'), 1, 1);
  expect(await packTask(first)).toEqual(await packTask(second));
});

test('entries are sorted, without times and owners, with two modes only', async () => {
  expect(await headersOf(await packTask(await writeTask(join(root, 'a'))))).toEqual(
    [
      ['environment', 0o755],
      ['environment/Dockerfile', 0o644],
      ['instruction.md', 0o644],
      ['solution', 0o755],
      ['solution/solve.sh', 0o755],
      ['task.toml', 0o644],
      ['tests', 0o755],
      ['tests/test.sh', 0o755],
    ].map(([name, mode]) => ({
      name,
      mode,
      mtime: 0,
      uid: 0,
      type: /^(environment|solution|tests)$/.test(String(name)) ? 'directory' : 'file',
    })),
  );
});

test('a changed byte, name or executable bit changes the digest of a context', async () => {
  const dir = await writeFolder(root, { 'env/Dockerfile': 'FROM a\n', 'env/run': 'x' });
  const digests = new Set([await contextDigest(join(dir, 'env'))]);
  await chmod(join(dir, 'env/run'), 0o755);
  digests.add(await contextDigest(join(dir, 'env')));
  await writeFile(join(dir, 'env/run'), 'y');
  digests.add(await contextDigest(join(dir, 'env')));
  await writeFile(join(dir, 'env/empty'), '');
  digests.add(await contextDigest(join(dir, 'env')));
  await mkdir(join(dir, 'env/folder'));
  digests.add(await contextDigest(join(dir, 'env')));
  expect(digests.size).toBe(5);
});

test('a link to a file inside is packed as that file', async () => {
  await writeFolder(root, { 'b/real': 'text' });
  await symlink('b/real', join(root, 'a'));
  await symlink(join(root, 'b/real'), join(root, 'c'));
  await unpackFolder(await packFolder(root), join(root, 'out'));
  expect(await readFile(join(root, 'out/a'), 'utf8')).toBe('text');
  expect(await readFile(join(root, 'out/c'), 'utf8')).toBe('text');
});

test.each([
  ['/etc/hostname', 'leads outside'],
  ['../outside', 'leads outside'],
  ['nowhere', 'leads nowhere'],
  ['loop', 'leads nowhere'],
  ['folder', 'not lead to a regular file'],
  ['.', 'not lead to a regular file'],
])('a link to %s is refused', async (target, why) => {
  await writeFolder(root, { outside: 'secret', 'in/folder/file': 'x' });
  await symlink(target, join(root, 'in/loop'));
  const packing = packFolder(join(root, 'in'));
  await expect(packing).rejects.toMatchObject({ code: 'bundle_refused', blame: 'task' });
  await expect(packing).rejects.toThrow(why);
});

test('a pipe is refused, not read for ever', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await expect(packFolder(root)).rejects.toThrow('neither a folder nor a regular file');
});

test('a folder over the size is refused before it is read', async () => {
  await writeFolder(root, { a: 'x'.repeat(600), b: 'x'.repeat(600) });
  await expect(packFolder(root, 1000)).rejects.toThrow('1200 bytes, at most 1000');
  expect((await packFolder(root, 1200)).length).toBeGreaterThan(1200);
});

test('a folder that cannot be read is our fault', async () => {
  await expect(packFolder(join(root, 'gone'))).rejects.toMatchObject({ blame: 'infra', code: 'read_failed' });
});

const nameParts = fc.string({ unit: fc.constantFrom('a', 'B', '-', '.', 'é', ' ', '0'), minLength: 1, maxLength: 40 });
const safeName = nameParts.filter((name) => name !== '.' && name !== '..');
const content = fc.dictionary(
  safeName,
  fc.oneof(fc.uint8Array({ maxLength: 2000 }), fc.dictionary(safeName, fc.uint8Array())),
  {
    minKeys: 1,
    maxKeys: 6,
  },
);

test('what was packed is unpacked as it was, and packs to the same bytes again', async () => {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(content, async (tree) => {
      round += 1;
      const dir = join(root, String(round));
      await mkdir(join(dir, 'in'), { recursive: true });
      for (const [name, member] of Object.entries(tree)) {
        if (member instanceof Uint8Array) {
          await writeFile(join(dir, 'in', name), member);
          continue;
        }
        await mkdir(join(dir, 'in', name));
        for (const [child, bytes] of Object.entries(member)) await writeFile(join(dir, 'in', name, child), bytes);
      }
      const bundle = await packFolder(join(dir, 'in'));
      await unpackFolder(bundle, join(dir, 'out'));
      expect((await packFolder(join(dir, 'out'))).equals(bundle)).toBe(true);
      for (const [name, member] of Object.entries(tree)) {
        if (!(member instanceof Uint8Array)) continue;
        expect([...(await readFile(join(dir, 'out', name)))]).toEqual([...member]);
      }
    }),
    { numRuns: 40 },
  );
});
