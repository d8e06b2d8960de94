import { MINIMAL_TASK, PROJECT_ROOT, withTempDir, type FolderContent } from '@assay/testing';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { unpackFolder } from '../bundles/unpack-folder';
import { loadSuite } from './load-suite';
import { openSource } from './task-source';

const ARCHIVE = 'terminal-bench/terminal-bench-2.0.tar.gz';

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `task-${String(at).padStart(3, '0')}`);

async function writeArchive(dataDir: string, names: readonly string[], change: FolderContent = {}): Promise<void> {
  const packing = pack();
  for (const name of names) {
    for (const [file, text] of Object.entries({ ...MINIMAL_TASK, ...change })) {
      if (text === null) continue;
      packing.entry(
        { name: `tasks/${hashOf(name)}/${name}/${file}`, mode: file.endsWith('.sh') ? 0o755 : 0o644 },
        text,
      );
    }
  }
  packing.finalize();
  await mkdir(dirname(join(dataDir, ARCHIVE)), { recursive: true });
  await pipeline(packing, createGzip(), createWriteStream(join(dataDir, ARCHIVE)));
}

const hashOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 8);
/** Those of this process: others may test at the same time. */
const unpackedFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`assay-tasks-${process.pid}-`));
const shipped = (dataDir: string) => loadSuite(join(PROJECT_ROOT, 'suites/terminal_bench_2.yaml'), dataDir);

test('an archive of 89 tasks is the shipped suite, sorted, each packed as its folder', () =>
  withTempDir(async (dir) => {
    await writeArchive(dir, numbered(89).reverse(), { 'tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n' });
    const source = await openSource(await shipped(dir));
    expect(source.ids).toEqual(numbered(89));
    const packed = await source.pack(source.ids[0]!);
    expect(packed).toMatchObject({ source: 'harbor', mediaType: 'application/x-tar', image: { kind: 'build' } });
    await unpackFolder(packed.content, join(dir, 'out'));
    expect((await readdir(join(dir, 'out'))).sort()).toEqual([
      'environment',
      'instruction.md',
      'solution',
      'task.toml',
      'tests',
    ]);
    await source.close();
  }));

test.each([0, 88, 90])('%d tasks are refused with the words that its users know', (count) =>
  withTempDir(async (dir) => {
    await writeArchive(dir, numbered(count));
    await expect(openSource(await shipped(dir))).rejects.toMatchObject({
      code: 'suite_invalid',
      message: `expected 89 Terminal-Bench 2.0 tasks, found ${count}`,
    });
  }),
);

test('an image that a task names is a reference, with its digest apart', () =>
  withTempDir(async (dir) => {
    const digest = `sha256:${'0f'.repeat(32)}`;
    await writeArchive(dir, numbered(89), { 'task.toml': `[environment]\ndocker_image = "owner/task:1@${digest}"\n` });
    const source = await openSource(await shipped(dir));
    expect((await source.pack(source.ids[5]!)).image).toEqual({ kind: 'reference', reference: 'owner/task:1', digest });
    await source.close();
  }));

test('what was unpacked is gone when the source is closed, and when it cannot be opened', () =>
  withTempDir(async (dir) => {
    await writeArchive(dir, numbered(89));
    const source = await openSource(await shipped(dir));
    expect(await unpackedFolders()).toHaveLength(1);
    await source.close();
    expect(await unpackedFolders()).toEqual([]);
    await writeArchive(dir, numbered(89), { 'task.toml': 'agent = 1' });
    await expect(openSource(await shipped(dir))).rejects.toMatchObject({ code: 'task_invalid' });
    expect(await unpackedFolders()).toEqual([]);
  }));

test('a suite with an archive of another content than it says is refused', () =>
  withTempDir(async (dir) => {
    await writeArchive(dir, ['one']);
    const file = join(dir, 'suite.yaml');
    await writeFile(
      file,
      'schema: assay.suite/1\nname: suite\ntitle: T\ndataset: {name: d, revision: r}\npublish: none\nerrorThreshold: 1\n' +
        `agent: {name: nop}\nsource: {kind: terminal-bench, file: ${ARCHIVE}, sha256: ${'a'.repeat(64)}}\n`,
    );
    await expect(openSource(await loadSuite(file))).rejects.toMatchObject({ code: 'data_changed' });
  }));
