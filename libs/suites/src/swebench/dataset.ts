import type { InstanceId } from '@assay/contracts';
import { sortedIds } from '../selection/sorted-ids';
import { readRows } from './read-rows';

/**
 * The ids of a file of rows, sorted as the official run report has them; their number is its `total_instances`, and those
 * without a prediction are its `incomplete_ids`.
 * @throws TaskError as `readRows`
 */
export async function datasetIds(file: string): Promise<InstanceId[]> {
  const ids: InstanceId[] = [];
  for await (const { row } of readRows(file)) ids.push(row.instanceId);
  return sortedIds(ids);
}
