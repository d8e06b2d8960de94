import type { InstanceId, SubmitRequest } from '@assay/contracts';
import { TaskError } from '@assay/failures';

/**
 * Which of a suite's sorted instances a submission asks for: one by id, the first k, or all.
 * @throws TaskError `instance_unknown`, `limit_too_large`, `limit_invalid`
 */
export function chooseInstances(
  ids: readonly InstanceId[],
  request: Pick<SubmitRequest, 'limit' | 'instanceId'>,
  title: string,
): readonly InstanceId[] {
  const { limit, instanceId } = request;
  const refuse = (code: string, message: string) =>
    new TaskError(message, { code, phase: 'dispatch', details: { limit, instanceId } });
  if (instanceId !== undefined) {
    if (limit !== undefined && limit !== 1) throw refuse('limit_invalid', 'instanceId requires limit 1');
    if (!ids.includes(instanceId)) throw refuse('instance_unknown', `Unknown ${title} instance: ${instanceId}`);
    return [instanceId];
  }
  if (limit === undefined) return ids;
  if (limit > ids.length) {
    throw refuse('limit_too_large', `Requested ${limit} instances, found ${ids.length}`);
  }
  return ids.slice(0, limit);
}
