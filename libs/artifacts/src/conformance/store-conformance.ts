import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Digest, Namespace } from '@assay/contracts';
import { BlamedError } from '@assay/failures';
import { describeNeeding } from '@assay/testing';
import { StoreProcess, type StoreStep } from '../harness/store-process';
import { type ArtifactPlace, type ArtifactStore, openArtifactStore } from '../index';

/** A kind of store, for the cases that every one of them passes. */
export interface StoreKind {
  readonly name: string;
  /** Null when it can be had here, else what is missing. */
  readonly missing: string | null;
  /** An empty store of its own; `overwrite` puts other bytes where a digest's content lies, past the store. */
  readonly open: () => Promise<{
    readonly place: ArtifactPlace;
    readonly overwrite: (namespace: string, digest: string, bytes: Buffer) => Promise<void>;
    readonly close: () => Promise<void>;
  }>;
}

const MIB = 1 << 20;
const LARGE = 200 * MIB;
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'resolved',
    (error: unknown) => (error instanceof BlamedError ? `${error.blame} ${error.code}` : error),
  );

/** Every case that a store passes before a deployment may use it. */
export function describeStore({ name, missing, open: openKind }: StoreKind): void {
  describeNeeding(missing, name, () => {
    let opened: Awaited<ReturnType<StoreKind['open']>>;
    let store: ArtifactStore;
    let dir: string;
    beforeAll(async () => {
      opened = await openKind();
      dir = await mkdtemp(join(tmpdir(), 'assay-conformance-'));
      store = await openArtifactStore(opened.place, Namespace.parse('one'));
    });
    afterAll(async () => {
      await opened.close();
      await rm(dir, { recursive: true, force: true });
    });
    const start = (...steps: StoreStep[]): StoreProcess =>
      StoreProcess.start({ place: opened.place, namespace: 'one', steps });

    test('says that it can be used', async () => {
      await store.check();
    });

    test.each([0, 1, MIB, 3 * MIB + 7])('gives %d bytes back under the sha256 of what they are', async (size) => {
      const content = randomBytes(size);
      const ref = await store.put('patch', 'text/x-diff', content);
      expect(ref).toEqual({ name: 'patch', mediaType: 'text/x-diff', digest: sha256(content), size });
      expect((await store.get(ref)).equals(content)).toBe(true);
      expect([await store.stat(ref.digest), await store.inspect(ref)]).toEqual([size, 'whole']);
    });

    test.each([0, 5 * MIB + 3])('takes a file of %d bytes and gives it back as a file', async (size) => {
      const content = randomBytes(size);
      await writeFile(join(dir, 'source'), content);
      const ref = await store.put('agent_log', 'text/plain', { file: join(dir, 'source') });
      expect([ref.digest, ref.size]).toEqual([sha256(content), size]);
      await store.fetchTo(ref, join(dir, 'copy'));
      expect((await readFile(join(dir, 'copy'))).equals(content)).toBe(true);
    });

    test('a digest that it does not hold is missing, and leads nowhere else', async () => {
      const absent = { digest: 'ab'.repeat(32) as Digest, size: 3 };
      const astray = { digest: '../../../etc/passwd' as Digest, size: 3 };
      for (const ref of [absent, astray]) {
        expect([await store.stat(ref.digest), await store.inspect(ref)]).toEqual([null, 'missing']);
        expect(await outcome(store.get(ref))).toBe('contract artifact_missing');
        expect(await outcome(store.fetchTo(ref, join(dir, 'absent')))).toBe('contract artifact_missing');
      }
      expect((await readdir(dir)).filter((file) => file.includes('absent'))).toEqual([]);
    });

    test('a name that no artifact may have is refused', async () => {
      await expect(store.put('../patch', 'text/plain', Buffer.from('x'))).rejects.toThrow();
    });

    test('a source that is not there is our fault', async () => {
      expect(await outcome(store.put('patch', 'text/plain', { file: join(dir, 'nowhere') }))).toBe('infra artifact_io');
    });

    test('more than the reader can take is refused', async () => {
      const ref = await store.put('patch', 'text/plain', Buffer.alloc(100, 'x'));
      expect(await outcome(store.get(ref, 99))).toBe('contract artifact_too_large');
      expect(await store.get(ref, 100)).toHaveLength(100);
    });

    test('two deployments in one place do not see each other', async () => {
      const ref = await store.put('patch', 'text/plain', Buffer.from('of the first'));
      const other = await openArtifactStore(opened.place, Namespace.parse('two'));
      expect([await other.stat(ref.digest), await other.inspect(ref)]).toEqual([null, 'missing']);
    });

    test.each([
      ['changed in place', 'what was changed'],
      ['cut short', 'what'],
      ['grown', 'what was stored, and more'],
      ['emptied', ''],
    ])('a blob that was %s is told from a whole one, and heals when it is put again', async (_name, instead) => {
      const content = Buffer.from('what was stored!');
      const ref = await store.put('patch', 'text/plain', content);
      await opened.overwrite('one', ref.digest, Buffer.from(instead));
      expect(await store.inspect(ref)).toBe('corrupt');
      expect(await outcome(store.get(ref))).toBe('contract artifact_corrupt');
      await writeFile(join(dir, 'standing'), 'old');
      expect(await outcome(store.fetchTo(ref, join(dir, 'standing')))).toBe('contract artifact_corrupt');
      expect(await readFile(join(dir, 'standing'), 'utf8')).toBe('old');
      await store.put('patch', 'text/plain', content);
      expect([await store.inspect(ref), (await store.get(ref)).equals(content)]).toEqual(['whole', true]);
    });

    test('a reference that lies about the size is told', async () => {
      const ref = await store.put('patch', 'text/plain', Buffer.from('four'));
      expect(await store.inspect({ ...ref, size: 3 })).toBe('corrupt');
      expect(await outcome(store.get({ ...ref, size: 5 }))).toBe('contract artifact_corrupt');
    });

    test('the same content from four processes at once is one whole blob, in every moment after the first', async () => {
      const content = randomBytes(8 * MIB);
      await writeFile(join(dir, 'same'), content);
      const ref = { digest: sha256(content) as Digest, size: content.length };
      const put = { do: 'put', file: join(dir, 'same') } as const;
      const look = { do: 'inspect', ...ref } as const;
      const all = Array.from({ length: 4 }, () => start(put, look, put, look, put, look));
      for (const reports of await Promise.all(all.map((one) => one.done()))) {
        const round = [ref.digest, 'whole'];
        expect(reports.map(({ said }) => said)).toEqual(['begun', ...round, ...round, ...round]);
      }
      expect((await store.get(ref)).equals(content)).toBe(true);
    });

    test('a process killed while it puts leaves nothing that is taken for whole', async () => {
      const { file, ref } = await aLargeFile(dir, 'killed');
      const finished: number[] = [];
      for (const delay of [0, 20, 60, 120]) {
        const putting = start({ do: 'put', file });
        await putting.begun();
        await pause(delay);
        finished.push(await putting.kill());
        if (finished.at(-1) === 0) expect(await store.inspect(ref)).not.toBe('whole');
        else break;
      }
      expect(finished).toContain(0);
      await store.put('agent_log', 'text/plain', { file });
      expect(await store.inspect(ref)).toBe('whole');
    });

    test('200 MiB go in, are checked and come out with memory as flat as for one', async () => {
      const { file, ref } = await aLargeFile(dir, 'large');
      const small = join(dir, 'small');
      await writeFile(small, randomBytes(MIB));
      const to = join(dir, 'large-copy');
      const steps: StoreStep[] = [
        { do: 'put', file },
        { do: 'inspect', ...ref },
        { do: 'fetch', ...ref, to },
      ];
      const reports = await start({ do: 'put', file: small }, ...steps).done();
      expect(reports.map(({ said }) => said).slice(2)).toEqual([ref.digest, 'whole', 'fetched']);
      expect((reports.at(-1)?.peak ?? 0) - (reports[1]?.peak ?? 0)).toBeLessThan(100 * MIB);
      expect(await digestOfFile(to)).toBe(ref.digest);
    });
  });
}

/** 200 MiB that no file system and no wire makes smaller. */
async function aLargeFile(dir: string, name: string): Promise<{ file: string; ref: { digest: Digest; size: number } }> {
  const file = join(dir, name);
  const handle = await open(file, 'w');
  const hash = createHash('sha256');
  for (let size = 0; size < LARGE; size += MIB) {
    const chunk = randomBytes(MIB);
    hash.update(chunk);
    await handle.write(chunk);
  }
  await handle.close();
  return { file, ref: { digest: hash.digest('hex') as Digest, size: LARGE } };
}

async function digestOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
