import { assertNever, type InstanceId } from '@assay/contracts';
import type { Suite } from '../suite/load-suite';

/**
 * The list of instances as qwen-code's pool takes it: of SWE-bench without a version of the format, of Terminal-Bench with
 * one. Members stand in the order in which its writers put them.
 */
export type InstanceList =
  | {
      readonly dataset: string;
      readonly dataset_revision: string;
      readonly expected_instances: number;
      readonly instance_ids: readonly InstanceId[];
    }
  | {
      readonly schema_version: typeof TERMINAL_BENCH_FORMAT;
      readonly dataset: string;
      readonly dataset_revision: string;
      readonly expected_instances: number;
      readonly instance_ids: readonly InstanceId[];
    };

const TERMINAL_BENCH_FORMAT = 'qwen-code-terminal-bench-2.0-manifest/v1';

/** @param ids chosen and sorted */
export function instanceList(
  { source, dataset }: Pick<Suite, 'source' | 'dataset'>,
  ids: readonly InstanceId[],
): InstanceList {
  const list = {
    dataset: dataset.name,
    dataset_revision: dataset.revision,
    expected_instances: ids.length,
    instance_ids: ids,
  };
  switch (source.kind) {
    case 'harbor':
    case 'swebench':
      return list;
    case 'terminal-bench':
      return { schema_version: TERMINAL_BENCH_FORMAT, ...list };
    default:
      return assertNever(source);
  }
}
