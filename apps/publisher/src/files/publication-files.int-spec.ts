import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { FileArtifactStore } from '@assay/artifacts';
import { type Digest, Namespace, type PublishedCase } from '@assay/contracts';
import type { NewAsset } from '@assay/github';
import { aFailedResult, aPublicResult } from '@assay/testing';
import { entriesOf } from '../harness/archive';
import { aCase, aTrajectory } from '../harness/cases';
import { publicationFiles } from './publication-files';

const namespace = Namespace.parse('assay');
const SECRET = 'canary-known-value-9d';

let dir: string;
let artifacts: FileArtifactStore;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-files-'));
  artifacts = new FileArtifactStore({ dir: join(dir, 'store'), namespace });
});
afterEach(() => rm(dir, { recursive: true }));

let folders = 0;
async function filesOf(cases: readonly PublishedCase[], largestPart?: number): Promise<NewAsset[]> {
  const workDir = join(dir, `work-${(folders += 1)}`);
  await mkdir(workDir);
  const parts = { artifacts, namespace, workDir, secrets: [SECRET] };
  const spec = { result: aPublicResult(), cases: [...cases] };
  return publicationFiles(spec, largestPart === undefined ? parts : { ...parts, largestPart });
}

async function only(cases: readonly PublishedCase[]): Promise<{ file: NewAsset; content: Buffer }> {
  const [, file, ...more] = await filesOf(cases);
  if (file === undefined || more.length > 0) throw new Error('expected one archive');
  return { file, content: await buffer(file.open()) };
}

const PATCH = Buffer.from('diff --git a/x b/x\n+caf\xe9\n', 'latin1');

test('a run without cases has its result alone, and a failed one too', async () => {
  expect((await filesOf([])).map(({ name }) => name)).toEqual([
    expect.stringMatching(/^assay-demo-run-1-\w{8}\.json$/),
  ]);
  const parts = { artifacts, namespace, workDir: dir, secrets: [] };
  const [file, ...more] = await publicationFiles({ result: aFailedResult(), cases: [] }, parts);
  expect([file?.mediaType, more]).toEqual(['application/json', []]);
});

test('an archive holds each case in a folder of its name, and an index of all', async () => {
  const cases = [
    await aCase(artifacts, 'a__b-1', { trajectory: aTrajectory('hello'), patch: PATCH }),
    await aCase(artifacts, 'a__b-1', { trajectory: aTrajectory('again'), sample: 2 }),
    await aCase(artifacts, 'c__d-2', { patch: PATCH }),
  ];
  const { file, content } = await only(cases);
  const entries = await entriesOf(content);
  expect([...entries.keys()]).toEqual([
    'a__b-1/trajectory.json',
    'a__b-1/patch.diff',
    'a__b-1.sample-2/trajectory.json',
    'c__d-2/patch.diff',
    'index.json',
  ]);
  expect(entries.get('a__b-1.sample-2/trajectory.json')?.text).toContain('again');
  expect(JSON.parse(entries.get('index.json')?.text ?? '')).toMatchObject({
    cases: [{ instance: 'a__b-1', sample: 0 }, { sample: 2 }, { instance: 'c__d-2', files: [{ size: PATCH.length }] }],
  });
  expect(file).toMatchObject({
    name: expect.stringMatching(/^assay-demo-run-1-[0-9a-f]{8}\.tar\.gz$/) as string,
    label: 'Assay trajectories: demo (assay)',
    size: content.length,
    digest: createHash('sha256').update(content).digest('hex'),
  });
  expect(file.name).toContain(file.digest.slice(0, 8));
});

test('the same cases are the same bytes, whoever makes them and when', async () => {
  const cases = [await aCase(artifacts, 'a', { trajectory: aTrajectory('x'.repeat(100_000)), patch: PATCH })];
  const first = await only(cases);
  const second = await only(cases);
  expect(second.content.equals(first.content)).toBe(true);
  for (const { header } of (await entriesOf(first.content)).values()) {
    expect(header).toMatchObject({ mode: 0o644, uid: 0, gid: 0, uname: '', gname: '', type: 'file' });
    expect(header.mtime.getTime()).toBe(0);
  }
  const other = await only([await aCase(artifacts, 'a', { trajectory: aTrajectory('y') })]);
  expect(other.file.name).not.toBe(first.file.name);
});

test('a patch stays as it is, byte for byte', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  const patch = Buffer.concat([PATCH, bytes]);
  const { content } = await only([await aCase(artifacts, 'a', { patch })]);
  const tar = (await import('node:zlib')).gunzipSync(content);
  expect(tar.includes(patch)).toBe(true);
});

describe('what is let out of a trajectory', () => {
  const textOf = async (trajectory: Buffer): Promise<string> => {
    const { content } = await only([await aCase(artifacts, 'a', { trajectory })]);
    return (await entriesOf(content)).get('a/trajectory.json')?.text ?? '';
  };

  test('are the members of the format; of ours the limit and the code of the failure', async () => {
    const failure = { blame: 'agent', code: 'agent_crashed', message: 'at /srv/host/x', details: { pid: 7 } };
    const stored = aTrajectory('hello', { limit: 'time', failure, internal: 'pool-7' });
    const shown = JSON.parse(await textOf(stored)) as Record<string, unknown>;
    expect(Object.keys(shown)).toEqual(['schema_version', 'session_id', 'agent', 'steps', 'final_metrics', 'extra']);
    expect(shown['extra']).toEqual({ limit: 'time', failure: { blame: 'agent', code: 'agent_crashed' } });
    expect(shown['steps']).toEqual((JSON.parse(stored.toString()) as { steps: unknown }).steps);
  });

  test('is nothing that looks like a secret, no value that we know, and no folder of ours', async () => {
    const key = 'sk-proj-4f1c2d3e5a6b7c8d9e0f';
    const text = await textOf(
      aTrajectory(`curl -H "Bearer ${'t'.repeat(30)}" ${key} ${SECRET} in /home/x/.assay/up/w`),
    );
    for (const secret of [key, SECRET, 't'.repeat(30), '/home/x']) expect(text).not.toContain(secret);
    expect(text).toContain('in […]/up/w');
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test('what cannot be read is not published', async () => {
    await expect(textOf(Buffer.from('{"steps": 1}'))).rejects.toMatchObject({ code: 'trajectory_malformed' });
    await expect(textOf(Buffer.from('no json'))).rejects.toMatchObject({ blame: 'contract' });
  });
});

test('a trajectory that is missing or damaged in the store stops the publication', async () => {
  const gone: PublishedCase = {
    ...(await aCase(artifacts, 'a', {})),
    trajectory: { digest: 'f'.repeat(64) as Digest, size: 3 },
  };
  await expect(filesOf([gone])).rejects.toMatchObject({ code: 'artifact_missing' });
});

test('more than a release takes as one file becomes several, each with its own index', async () => {
  const big = await Promise.all(
    ['a', 'b', 'c'].map((id) => aCase(artifacts, id, { trajectory: aTrajectory(id.repeat(10_000)) })),
  );
  const [, ...archives] = await filesOf(big, 70_000);
  expect(archives.map(({ title }) => title)).toEqual([
    'What each case did, part 1 of 2',
    'What each case did, part 2 of 2',
  ]);
  const found = await Promise.all(archives.map(async (one) => [...(await entriesOf(await buffer(one.open()))).keys()]));
  expect(found).toEqual([
    ['a/trajectory.json', 'b/trajectory.json', 'index.json'],
    ['c/trajectory.json', 'index.json'],
  ]);
  expect(new Set(archives.map(({ name }) => name)).size).toBe(2);
});

test('memory stays flat: 200 MB of trajectories are never there at once', async () => {
  const message = 'lorem ipsum dolor '.repeat(110_000);
  const one = await aCase(artifacts, 'a', { trajectory: aTrajectory(message) });
  const cases = Array.from({ length: 33 }, (_, at) => ({ ...one, sample: at }));
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers);
  }, 5);
  const [, file] = await filesOf(cases);
  clearInterval(watch);
  expect(peak - before).toBeLessThan(120_000_000);
  expect((await stat(join(dir, `work-${folders}`, 'cases-0.tar.gz'))).size).toBe(file?.size);
  expect(await readdir(join(dir, `work-${folders}`))).toEqual(['cases-0.tar.gz']);
});
