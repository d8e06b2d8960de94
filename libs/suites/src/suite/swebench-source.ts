import { canonicalJson, type InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { selectInstances } from '../selection/select-instances';
import { sortedIds } from '../selection/sorted-ids';
import { readImageDigests } from '../swebench/image-digests';
import { imageFor } from '../swebench/image-name';
import type { NamedImage } from '../swebench/image-reference';
import { invalidRow } from '../swebench/parse-row';
import { pinImage } from '../swebench/pin-image';
import { type ReadRow, readRows } from '../swebench/read-rows';
import { requireDataFile } from './data-file';
import type { Suite } from './load-suite';
import type { PackedInstance, TaskSource } from './task-source';
import { groupedWarnings, namedIds } from './warnings';
import { wordingOf } from './wording';

type Source = Extract<Suite['source'], { kind: 'swebench' }>;

interface Kept {
  readonly json: string;
  readonly image: NamedImage;
  readonly warnings: readonly string[];
}

/** Rows of a SWE-bench file, one instance each. The bundle is the row as canonical JSON, all its columns included. */
export class SwebenchSource implements TaskSource {
  readonly ids: readonly InstanceId[];
  readonly warnings: readonly string[];

  private constructor(private readonly rows: ReadonlyMap<InstanceId, Kept>) {
    this.ids = sortedIds(rows.keys());
    this.warnings = groupedWarnings(this.ids.map((id) => [id, rows.get(id)?.warnings ?? []]));
  }

  static async open(suite: Suite, source: Source): Promise<SwebenchSource> {
    const invalid = (message: string, details: Record<string, unknown>) =>
      new TaskError(`${suite.file}: ${message}`, { code: 'suite_invalid', phase: 'dispatch', details });
    await requireDataFile(suite.file, source);
    const digests = source.digests === undefined ? null : await readImageDigests(source.digests);
    const wanted = source.instances === undefined ? null : new Set<string>(source.instances);
    const rows = new Map<InstanceId, Kept>();
    const unused = new Set<string>([...(digests?.keys() ?? []), ...(wanted ?? [])]);
    let count = 0;
    for await (const read of readRows(source.file)) {
      const id = read.row.instanceId;
      count += 1;
      unused.delete(id);
      if (wanted === null || wanted.has(id)) rows.set(id, keep(read, source, digests?.get(id) ?? null));
    }

    if (source.expect !== undefined && source.expect !== count) {
      throw new TaskError(wordingOf(suite).count(source.expect, count), {
        code: 'suite_invalid',
        phase: 'dispatch',
        details: { file: source.file, expected: source.expect, found: count },
      });
    }
    const absent = [...(wanted ?? [])].filter((id) => unused.has(id));
    if (absent.length > 0) throw invalid(`source.instances: not in ${source.file}: ${absent.join(', ')}`, { absent });
    if (rows.size === 0) throw invalid(`source.file: no rows in ${source.file}`, { file: source.file });
    if (unused.size > 0) throw invalid(`source.digests: not in ${source.file}: ${namedIds([...unused])}`, {});

    const chosen = selectInstances([...rows.keys()], source.select ?? {});
    if (chosen.length === 0) throw invalid(`source.select: selects none of ${rows.size} instances`, {});
    const unpinned = digests === null ? [] : chosen.filter((id) => rows.get(id)?.image.digest === undefined);
    if (unpinned.length > 0) throw invalid(`source.digests: no digest for ${namedIds(unpinned)}`, {});
    const kept = new Set(chosen);
    return new SwebenchSource(new Map([...rows].filter(([id]) => kept.has(id))));
  }

  pack(id: InstanceId): Promise<PackedInstance> {
    const kept = this.rows.get(id);
    if (kept === undefined) return Promise.reject(new RangeError(`no such instance: ${id}`));
    return Promise.resolve({
      source: 'swebench',
      content: Buffer.from(kept.json),
      mediaType: 'application/json',
      image: kept.image,
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function keep({ row, raw, place }: ReadRow, source: Source, digest: string | null): Kept {
  const image = pinImage(imageFor(row, source), digest);
  if (!('kind' in image)) throw invalidRow(place, row.instanceId, [image]);
  return { json: canonicalJson(raw), image, warnings: row.image === null ? [] : withoutEffect(source) };
}

/** What a suite says of official names has no effect on rows that name their image. */
function withoutEffect({ imageArch, imageNamespace }: Source): string[] {
  const why = 'the row names its image, it has no effect';
  return [
    ...(imageArch === undefined ? [] : [`source.imageArch: ${why}`]),
    ...(imageNamespace === undefined ? [] : [`source.imageNamespace: ${why}`]),
  ];
}
