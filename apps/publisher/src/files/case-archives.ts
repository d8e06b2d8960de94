import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { ArtifactStore } from '@assay/artifacts';
import type { Namespace, PublishedCase, RunResult } from '@assay/contracts';
import type { NewAsset } from '@assay/github';
import { ArchiveWriter, type WrittenArchive } from './archive-writer';
import { fileLabel, fileName } from './own-files';
import { publicPatch, publicTrajectory } from './public-trajectory';

/** A release takes files of less than 2 GiB; compressing makes none larger by more than a thousandth. */
const LARGEST_PART = 2_000_000_000;

export interface ArchiveParts {
  readonly artifacts: ArtifactStore;
  readonly namespace: Namespace;
  /** A folder of this publication alone. */
  readonly workDir: string;
  /** Values that must be found nowhere. */
  readonly secrets: readonly string[];
  /** Bytes of one archive before compressing; more go into the next. Default: what a release takes. */
  readonly largestPart?: number;
}

/**
 * The cases of a run as .tar.gz files on the release: `<instance>/trajectory.json` and `<instance>/patch.diff`, and
 * `index.json` with what each is. One file, unless a release takes no file that large. None where there are no cases.
 */
export async function caseArchives(
  result: RunResult,
  cases: readonly PublishedCase[],
  parts: ArchiveParts,
): Promise<NewAsset[]> {
  const { workDir, largestPart = LARGEST_PART } = parts;
  const archives: WrittenArchive[] = [];
  let open: OpenArchive | null = null;
  for (const one of cases) {
    const entries = await entriesOf(one, parts);
    const size = entries.reduce((sum, { content }) => sum + content.length, 0);
    if (open !== null && open.writer.plainSize + size > largestPart) {
      archives.push(await closed(open));
      open = null;
    }
    open ??= { writer: new ArchiveWriter(join(workDir, `cases-${archives.length}.tar.gz`)), index: [] };
    for (const { name, content } of entries) await open.writer.add(name, content);
    open.index.push({
      instance: one.instanceId,
      sample: one.sample,
      files: entries.map(({ name, content }) => ({ name, size: content.length })),
    });
  }
  if (open !== null) archives.push(await closed(open));
  return archives.map((archive, at) => assetOf(result, archive, { at, of: archives.length }, parts));
}

interface OpenArchive {
  readonly writer: ArchiveWriter;
  readonly index: { instance: string; sample: number; files: { name: string; size: number }[] }[];
}

async function closed({ writer, index }: OpenArchive): Promise<WrittenArchive> {
  await writer.add('index.json', Buffer.from(`${JSON.stringify({ cases: index }, null, 1)}\n`));
  return writer.finish();
}

interface Entry {
  readonly name: string;
  readonly content: Buffer;
}

async function entriesOf(one: PublishedCase, { artifacts, secrets }: ArchiveParts): Promise<Entry[]> {
  const folder = one.sample === 0 ? one.instanceId : `${one.instanceId}.sample-${one.sample}`;
  const entries: Entry[] = [];
  if (one.trajectory !== null) {
    const content = publicTrajectory(await artifacts.get(one.trajectory), secrets);
    entries.push({ name: `${folder}/trajectory.json`, content });
  }
  if (one.patch !== null) {
    entries.push({ name: `${folder}/patch.diff`, content: publicPatch(await artifacts.get(one.patch), secrets) });
  }
  return entries;
}

function assetOf(
  result: RunResult,
  { file, size, digest }: WrittenArchive,
  { at, of }: { at: number; of: number },
  { namespace }: ArchiveParts,
): NewAsset {
  return {
    name: fileName(result, digest, 'tar.gz'),
    label: fileLabel('trajectories', result.suite, namespace),
    title: of === 1 ? 'What each case did' : `What each case did, part ${at + 1} of ${of}`,
    mediaType: 'application/gzip',
    size,
    digest,
    open: () => createReadStream(file),
  };
}
