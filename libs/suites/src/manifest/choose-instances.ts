import type { InstanceId, SubmitRequest } from '@assay/contracts';
import { type FailureCode, TaskError } from '@assay/failures';
import type { Suite } from '../suite/load-suite';

/**
 * Which of a suite's sorted instances a submission asks for: one by id, the first k, or all. The wording of what is refused
 * is that of qwen-code's release pipeline (dispatch-release-benchmark.sh and its manifest writer), so that its logs and
 * runbooks stay true.
 * @throws TaskError `instance_unknown`, `limit_too_large`, `limit_invalid`
 */
export function chooseInstances(
  ids: readonly InstanceId[],
  request: Pick<SubmitRequest, 'limit' | 'instanceId'>,
  { title, benchmarkSize }: Pick<Suite, 'title' | 'benchmarkSize'>,
): readonly InstanceId[] {
  const { limit, instanceId } = request;
  const refuse = (code: FailureCode, message: string) =>
    new TaskError(message, { code, phase: 'dispatch', details: { limit, instanceId } });
  if (limit !== undefined && benchmarkSize !== null && (limit < 1 || limit > benchmarkSize)) {
    throw refuse('limit_invalid', `INSTANCE_LIMIT must be between 1 and ${benchmarkSize}`);
  }
  if (instanceId !== undefined) {
    if (limit !== undefined && limit !== 1) throw refuse('limit_invalid', '--instance-id requires --limit 1');
    if (!ids.includes(instanceId)) throw refuse('instance_unknown', `Unknown ${title} instance: ${instanceId}`);
    return [instanceId];
  }
  if (limit === undefined) return ids;
  if (limit > ids.length) {
    throw refuse('limit_too_large', `Requested ${limit} instances, found ${ids.length}`);
  }
  return ids.slice(0, limit);
}
