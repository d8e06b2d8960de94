import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Digest, Namespace } from '@assay/contracts';
import type { Rename } from './blob-landing';
import { FileArtifactStore } from './index';

const content = randomBytes(300_000);
const digest = createHash('sha256').update(content).digest('hex') as Digest;
const ref = { digest, size: content.length };
const refusing =
  (code: string): Rename =>
  () =>
    Promise.reject(Object.assign(new Error(`${code}: rename`), { code, syscall: 'rename' }));

let dir: string;
let asked: number;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-landing-'));
  asked = 0;
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const blob = (): string => join(dir, 'one', digest.slice(0, 2), digest);
const storeWith = (move: Rename): FileArtifactStore =>
  new FileArtifactStore({ dir, namespace: Namespace.parse('one') }, (from, to) => {
    asked += 1;
    return move(from, to);
  });

test.each(['EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'])(
  'a mount that answers %s to a rename is asked once, and takes blobs under their own names',
  async (code) => {
    const store = storeWith(refusing(code));
    await mkdir(join(dir, 'one', digest.slice(0, 2)), { recursive: true });
    expect(await store.put('patch', 'text/plain', content)).toMatchObject(ref);
    await store.put('patch', 'text/plain', Buffer.from('another'));
    expect(asked).toBe(1);
    expect((await readFile(blob())).equals(content)).toBe(true);
    expect(await readdir(join(dir, 'one/aside'))).toEqual([]);
  },
);

test.each(['EIO', 'ENOSPC', 'EACCES'])('%s of a rename is a failure, not a mount without renames', async (code) => {
  await expect(storeWith(refusing(code)).put('patch', 'text/plain', content)).rejects.toMatchObject({ blame: 'infra' });
  await expect(readFile(blob())).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readdir(join(dir, 'one/aside'))).toEqual([]);
});

describe('where nothing can be renamed', () => {
  let store: FileArtifactStore;
  beforeEach(async () => {
    store = storeWith(refusing('ENOTSUP'));
    await store.put('patch', 'text/plain', Buffer.from('so that the mount is known'));
    await mkdir(join(dir, 'one', digest.slice(0, 2)), { recursive: true });
  });

  test.each([0, 1, 150_000, 299_999])(
    'what a killed process left after %d bytes is no blob, and is completed',
    async (size) => {
      await writeFile(blob(), content.subarray(0, size));
      expect(await store.inspect(ref)).toBe('corrupt');
      await expect(store.get(ref)).rejects.toMatchObject({ code: 'artifact_corrupt' });
      await store.put('patch', 'text/plain', content);
      expect((await store.get(ref)).equals(content)).toBe(true);
    },
  );

  test('more than the content, or a hole in it, is put right', async () => {
    for (const damaged of [Buffer.concat([content, content]), Buffer.alloc(content.length)]) {
      await writeFile(blob(), damaged);
      await store.put('patch', 'text/plain', content);
      expect((await readFile(blob())).equals(content)).toBe(true);
    }
  });

  test('while a blob is put again and again, every reader finds it whole', async () => {
    await store.put('patch', 'text/plain', content);
    const putting = Promise.all(Array.from({ length: 10 }, () => store.put('patch', 'text/plain', content)));
    const seen = await Promise.all(Array.from({ length: 20 }, () => store.inspect(ref)));
    await putting;
    expect(new Set(seen)).toEqual(new Set(['whole']));
  });

  test('many first puts of one content at the same time end in one whole blob', async () => {
    const refs = await Promise.all(Array.from({ length: 10 }, () => store.put('patch', 'text/plain', content)));
    expect(new Set(refs.map((one) => one.digest))).toEqual(new Set([digest]));
    expect(await store.inspect(ref)).toBe('whole');
  });
});

test('a folder that is not there yet is made for the rename', async () => {
  await storeWith(rename).put('patch', 'text/plain', content);
  expect(asked).toBe(2);
  expect(await readdir(join(dir, 'one'))).toEqual(expect.arrayContaining([digest.slice(0, 2), 'aside']));
});
