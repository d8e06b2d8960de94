import type { InstanceId, SubmitRequest } from '@assay/contracts';
import { type FailureCode, TaskError } from '@assay/failures';
import type { Suite } from '../suite/load-suite';
import { type WordedSuite, wordingOf } from '../suite/wording';

/** What a choice needs of a suite. */
export type ChoosingSuite = WordedSuite & Pick<Suite, 'benchmarkSize' | 'defaultLimit' | 'maxLimit'>;

/**
 * Which of a suite's sorted instances a submission asks for: one by id, the first k, or as many as the suite runs where it
 * says nothing. The wording of what is refused is that of qwen-code's release pipeline.
 * @throws TaskError `instance_unknown`, `limit_too_large`, `limit_invalid`
 */
export function chooseInstances(
  ids: readonly InstanceId[],
  request: Pick<SubmitRequest, 'limit' | 'instanceId'>,
  suite: ChoosingSuite,
): readonly InstanceId[] {
  const { limit, instanceId } = request;
  const { benchmarkSize, maxLimit, defaultLimit } = suite;
  const wording = wordingOf(suite);
  const refuse = (code: FailureCode, message: string) =>
    new TaskError(message, { code, phase: 'dispatch', details: { limit, instanceId } });
  const most = maxLimit ?? benchmarkSize;
  if (limit !== undefined && (limit < 1 || (most !== null && !isWithin(limit, most, suite)))) {
    throw refuse('limit_invalid', wording.limit(most ?? ids.length));
  }
  if (instanceId !== undefined) {
    if (limit !== undefined && limit !== 1) throw refuse('limit_invalid', wording.oneByOne);
    if (!ids.includes(instanceId)) throw refuse('instance_unknown', wording.unknown(instanceId));
    return [instanceId];
  }
  const count = limit ?? defaultLimit ?? ids.length;
  if (count > ids.length) throw refuse('limit_too_large', `Requested ${count} instances, found ${ids.length}`);
  return ids.slice(0, count);
}

/** Of an archive of Terminal-Bench one task is run, or all. */
function isWithin(limit: number, most: number, { source }: ChoosingSuite): boolean {
  return source.kind === 'terminal-bench' ? limit === 1 || limit === most : limit <= most;
}
