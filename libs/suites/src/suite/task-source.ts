import type { ImageSource, InstanceId, ManifestInstance } from '@assay/contracts';
import { HarborSource } from './harbor-source';
import type { Suite } from './load-suite';
import { SwebenchSource } from './swebench-source';

/** An instance's whole content, ready to be stored, and its image. */
export interface PackedInstance {
  readonly source: ManifestInstance['source'];
  readonly content: Buffer;
  readonly mediaType: string;
  readonly image: ImageSource;
}

/** The instances that a suite's source has. */
export interface TaskSource {
  /** Sorted by code units, unique, at least one. */
  readonly ids: readonly InstanceId[];
  /** What has no effect here: one sentence each, grouped over instances. */
  readonly warnings: readonly string[];
  pack(id: InstanceId): Promise<PackedInstance>;
}

/**
 * Reads all instances of a suite's source.
 * @throws TaskError: `task_invalid`, `task_unsupported`, `row_invalid` as its tasks have them, `source_unreadable`, or
 * `suite_invalid` where the source does not hold what the suite says
 */
export function openSource(suite: Suite): Promise<TaskSource> {
  return suite.source.kind === 'harbor'
    ? HarborSource.open(suite, suite.source)
    : SwebenchSource.open(suite, suite.source);
}
