import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Namespace } from '@assay/contracts';
import { BlamedError } from '@assay/failures';
import { FileArtifactStore } from './index';

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

let dir: string;
let store: FileArtifactStore;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-artifacts-'));
  store = new FileArtifactStore({ dir, namespace: Namespace.parse('one') });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const blob = (digest: string): string => join(dir, 'one', digest.slice(0, 2), digest);
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'resolved',
    (error: unknown) => (error instanceof BlamedError ? `${error.blame} ${error.code}` : error),
  );
/** Names of files that are neither blobs nor folders: what a failed write would leave. */
const leftovers = async (): Promise<string[]> =>
  (await readdir(join(dir, 'one'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/^[0-9a-f]{64}$/.test(entry.name))
    .map((entry) => entry.name);

test('bytes come back under the sha256 of what they are', async () => {
  const content = Buffer.from('a patch\n');
  const ref = await store.put('patch', 'text/x-diff', content);
  expect(ref).toEqual({ name: 'patch', mediaType: 'text/x-diff', digest: sha256(content), size: 8 });
  expect(await store.get(ref)).toEqual(content);
  expect(await readFile(blob(ref.digest))).toEqual(content);
  expect(await leftovers()).toEqual([]);
});

test('nothing at all is an artifact too', async () => {
  const ref = await store.put('patch', 'text/plain', Buffer.alloc(0));
  expect(ref.size).toBe(0);
  expect(await store.get(ref)).toEqual(Buffer.alloc(0));
});

test('a file goes in and comes out as a stream', async () => {
  const source = join(dir, 'source');
  const content = Buffer.alloc(5_000_000, 'assay ');
  await writeFile(source, content);
  const ref = await store.put('agent_log', 'text/plain', { file: source });
  expect([ref.digest, ref.size]).toEqual([sha256(content), content.length]);
  await store.fetchTo(ref, join(dir, 'copy'));
  expect((await readFile(join(dir, 'copy'))).equals(content)).toBe(true);
});

test('many puts of the same content at the same time are one blob', async () => {
  const content = Buffer.alloc(300_000, 'x');
  const refs = await Promise.all(Array.from({ length: 20 }, () => store.put('patch', 'text/plain', content)));
  expect(new Set(refs.map((ref) => ref.digest)).size).toBe(1);
  expect(await readdir(join(dir, 'one', refs[0]!.digest.slice(0, 2)))).toEqual([refs[0]!.digest]);
  expect(await leftovers()).toEqual([]);
});

test('two deployments in one folder do not see each other', async () => {
  const ref = await store.put('patch', 'text/plain', Buffer.from('x'));
  const other = new FileArtifactStore({ dir, namespace: Namespace.parse('two') });
  expect(await other.stat(ref.digest)).toBeNull();
  expect(await failure(other.get(ref))).toBe('contract artifact_missing');
});

test('stat tells the size, or null for what is not there or no digest', async () => {
  const ref = await store.put('patch', 'text/plain', Buffer.from('four'));
  expect(await store.stat(ref.digest)).toBe(4);
  expect(await store.stat('0'.repeat(64))).toBeNull();
  expect(await store.stat('../../../etc/passwd')).toBeNull();
});

test.each([0, 1, 1 << 20, (1 << 20) + 1, 3_000_000])('a blob of %d bytes is inspected whole', async (size) => {
  const ref = await store.put('agent_log', 'text/plain', Buffer.alloc(size, 'assay '));
  expect(await store.inspect(ref)).toBe('whole');
});

test('a blob that is not there is missing, and one that cannot be read is our fault', async () => {
  const ref = await store.put('patch', 'text/plain', Buffer.from('x'));
  await rm(blob(ref.digest));
  expect(await store.inspect(ref)).toBe('missing');
  await mkdir(blob(ref.digest));
  const { size } = await stat(blob(ref.digest));
  expect(await failure(store.inspect({ ...ref, size }))).toBe('infra artifact_io');
});

test('a digest that leads out of the store is refused', async () => {
  const ref = { digest: '../../../../etc/passwd', size: 1 } as never;
  expect(await store.inspect(ref)).toBe('missing');
  expect(await failure(store.get(ref))).toBe('contract artifact_missing');
  expect(await failure(store.fetchTo(ref, join(dir, 'copy')))).toBe('contract artifact_missing');
});

describe('a damaged blob', () => {
  const content = Buffer.from('what was stored');

  test.each<[string, (file: string) => Promise<void>]>([
    ['changed in place', (file) => writeFile(file, 'what was changed'.slice(0, content.length))],
    ['cut short', (file) => truncate(file, 3)],
    ['grown', (file) => writeFile(file, 'what was stored and more')],
  ])('is told from a whole one: %s', async (_name, damage) => {
    const ref = await store.put('patch', 'text/plain', content);
    await damage(blob(ref.digest));
    expect(await store.inspect(ref)).toBe('corrupt');
    expect(await failure(store.get(ref))).toBe('contract artifact_corrupt');
    expect(await failure(store.fetchTo(ref, join(dir, 'copy')))).toBe('contract artifact_corrupt');
    expect((await readdir(dir)).sort()).toEqual(['one']);
  });

  test('heals when the content is put again', async () => {
    const ref = await store.put('patch', 'text/plain', content);
    await writeFile(blob(ref.digest), 'something else.');
    await store.put('patch', 'text/plain', content);
    expect(await store.get(ref)).toEqual(content);
  });

  test('a reference that lies about the size is told too', async () => {
    const ref = await store.put('patch', 'text/plain', content);
    expect(await failure(store.get({ ...ref, size: 3 }))).toBe('contract artifact_corrupt');
    expect(await store.inspect({ ...ref, size: 3 })).toBe('corrupt');
  });
});

test('more than the reader can take is refused before it is read', async () => {
  const ref = await store.put('patch', 'text/plain', Buffer.alloc(100));
  expect(await failure(store.get(ref, 99))).toBe('contract artifact_too_large');
  expect(await store.get(ref, 100)).toHaveLength(100);
});

test('a fetch replaces a file that stands there, and only with the whole content', async () => {
  const ref = await store.put('patch', 'text/plain', Buffer.from('new'));
  const target = join(dir, 'target');
  await writeFile(target, 'old');
  await writeFile(blob(ref.digest), 'bad');
  expect(await failure(store.fetchTo(ref, target))).toBe('contract artifact_corrupt');
  expect(await readFile(target, 'utf8')).toBe('old');
  await writeFile(blob(ref.digest), 'new');
  await store.fetchTo(ref, target);
  expect(await readFile(target, 'utf8')).toBe('new');
});

test('a source file that is not there is our fault, and leaves nothing', async () => {
  expect(await failure(store.put('patch', 'text/plain', { file: join(dir, 'absent') }))).toBe('infra artifact_io');
  expect(await leftovers()).toEqual([]);
});

test('a folder that cannot be written to is our fault', async () => {
  await writeFile(join(dir, 'plain'), '');
  const broken = new FileArtifactStore({ dir: join(dir, 'plain'), namespace: Namespace.parse('one') });
  expect(await failure(broken.put('patch', 'text/plain', Buffer.from('x')))).toBe('infra artifact_io');
});

test('a name that no artifact may have is refused before anything is written', async () => {
  await expect(store.put('Not A Name', 'text/plain', Buffer.from('x'))).rejects.toThrow();
  expect(await readdir(dir)).toEqual([]);
});

test('other users of the machine may read a blob, only its owner may change it', async () => {
  const ref = await store.put('patch', 'text/plain', Buffer.from('x'));
  expect((await stat(blob(ref.digest))).mode & 0o777).toBe(0o644);
});

test('what a killed process left a day ago is cleared, what is being written is not', async () => {
  const aside = join(dir, 'one/aside');
  await mkdir(aside, { recursive: true });
  await writeFile(join(aside, 'old'), 'half');
  await writeFile(join(aside, 'new'), 'half');
  const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000);
  await utimes(join(aside, 'old'), twoDaysAgo, twoDaysAgo);
  await store.put('patch', 'text/plain', Buffer.from('x'));
  expect(await readdir(aside)).toEqual(['new']);
});

test('a store whose folder went away makes it again', async () => {
  await store.put('patch', 'text/plain', Buffer.from('x'));
  await rm(join(dir, 'one'), { recursive: true });
  expect(await failure(store.put('patch', 'text/plain', Buffer.from('y')))).toBe('infra artifact_io');
  const ref = await store.put('patch', 'text/plain', Buffer.from('y'));
  expect(await store.get(ref)).toEqual(Buffer.from('y'));
});
