import { assertNever, type ImageSource, type InstanceId, type ManifestInstance } from '@assay/contracts';
import { openHarbor } from './harbor-source';
import type { Suite } from './load-suite';
import { SwebenchSource } from './swebench-source';
import { openTerminalBench } from './terminal-bench-source';

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
  /** Removes what was unpacked to read it; nothing can be packed after that. */
  close(): Promise<void>;
}

/**
 * Reads all instances of a suite's source. Whoever opens it closes it.
 * @throws TaskError: `task_invalid`, `task_unsupported`, `row_invalid` as its tasks have them, `source_unreadable`,
 * `archive_invalid`, `data_missing` or `data_changed` for its file, or `suite_invalid` where the source does not hold what
 * the suite says
 */
export function openSource(suite: Suite): Promise<TaskSource> {
  const { source } = suite;
  switch (source.kind) {
    case 'harbor':
      return openHarbor(suite, source);
    case 'swebench':
      return SwebenchSource.open(suite, source);
    case 'terminal-bench':
      return openTerminalBench(suite, source);
    default:
      return assertNever(source);
  }
}
