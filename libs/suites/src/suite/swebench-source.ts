import { canonicalJson, type InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { imageFor } from '../swebench/image-name';
import { readRows } from '../swebench/read-rows';
import type { Suite } from './load-suite';
import type { PackedInstance, TaskSource } from './task-source';

type Source = Extract<Suite['source'], { kind: 'swebench' }>;

interface Kept {
  readonly json: string;
  readonly image: string;
}

/** Rows of a SWE-bench file, one instance each. The bundle is the row as canonical JSON, all its columns included. */
export class SwebenchSource implements TaskSource {
  readonly ids: readonly InstanceId[];
  readonly warnings = [];

  private constructor(private readonly rows: ReadonlyMap<InstanceId, Kept>) {
    this.ids = [...rows.keys()].sort();
  }

  static async open(suite: Suite, source: Source): Promise<SwebenchSource> {
    const invalid = (message: string, details: Record<string, unknown>) =>
      new TaskError(`${suite.file}: ${message}`, { code: 'suite_invalid', phase: 'dispatch', details });
    const wanted = source.instances === undefined ? null : new Set(source.instances);
    const rows = new Map<InstanceId, Kept>();
    for await (const { row, raw } of readRows(source.file)) {
      const id = row.instanceId;
      if (wanted !== null && !wanted.has(id)) continue;
      if (rows.has(id)) throw invalid(`source.file: ${id} occurs twice in ${source.file}`, { id });
      rows.set(id, { json: canonicalJson(raw), image: imageFor(row, source) });
    }
    const absent = [...(wanted ?? [])].filter((id) => !rows.has(id as InstanceId));
    if (absent.length > 0) {
      throw invalid(`source.instances: not in ${source.file}: ${absent.join(', ')}`, { absent });
    }
    if (rows.size === 0) throw invalid(`source.file: no rows in ${source.file}`, { file: source.file });
    return new SwebenchSource(rows);
  }

  pack(id: InstanceId): Promise<PackedInstance> {
    const kept = this.rows.get(id);
    if (kept === undefined) return Promise.reject(new RangeError(`no such instance: ${id}`));
    return Promise.resolve({
      source: 'swebench',
      content: Buffer.from(kept.json),
      mediaType: 'application/json',
      image: { kind: 'reference', reference: kept.image },
    });
  }
}
