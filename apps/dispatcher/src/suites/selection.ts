import { HttpStatus } from '@nestjs/common';
import type { InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { Refusal } from '@assay/service-kit';
import { chooseInstances, openSource, type Suite } from '@assay/suites';

/** Which instances of a suite are asked for; null: nothing is said. */
export interface Selection {
  readonly limit: number | null;
  readonly instanceId: InstanceId | null;
}

/** What the caller's body calls the two. */
export interface SelectionFields {
  readonly limit: string;
  readonly instanceId: string;
}

/** No id is told beyond these: a suite may have hundreds. */
const EXAMPLES = 3;

/**
 * Refuses a limit or an instance that the suite does not have. Its source is read for that, and only where one is asked for;
 * what is wrong with the source itself is told by the run, when it is frozen.
 * @throws Refusal 422 naming field, value and expectation
 */
export async function requireSelection(
  suite: Suite,
  { limit, instanceId }: Selection,
  fields: SelectionFields = { limit: 'limit', instanceId: 'instanceId' },
): Promise<void> {
  if (limit === null && instanceId === null) return;
  const ids = await idsOf(suite);
  if (ids === null) return;
  const asked = { ...(limit === null ? {} : { limit }), ...(instanceId === null ? {} : { instanceId }) };
  try {
    chooseInstances(ids, asked, suite);
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    const problem =
      error.code === 'instance_unknown'
        ? { field: fields.instanceId, value: instanceId, expected: expectedInstance(suite.name, ids) }
        : { field: fields.limit, value: limit, expected: expectedLimit(suite, ids.length) };
    throw new Refusal(HttpStatus.UNPROCESSABLE_ENTITY, error.message, [problem]);
  }
}

/** Null where the source cannot be read. */
async function idsOf(suite: Suite): Promise<readonly InstanceId[] | null> {
  try {
    const source = await openSource(suite);
    await source.close();
    return source.ids;
  } catch (error) {
    if (error instanceof TaskError) return null;
    throw error;
  }
}

function expectedInstance(suite: string, ids: readonly InstanceId[]): string {
  const more = ids.length > EXAMPLES ? `, … (GET /v1/suites/${suite}/instances has all ${ids.length})` : '';
  return `expected an instance of ${suite}: ${ids.slice(0, EXAMPLES).join(', ')}${more}`;
}

function expectedLimit({ source, maxLimit, benchmarkSize }: Suite, has: number): string {
  const most = Math.min(maxLimit ?? benchmarkSize ?? has, has);
  // Of an archive of Terminal-Bench one task is run, or all.
  return source.kind === 'terminal-bench' ? `expected 1 or ${most}` : `expected a whole number from 1 to ${most}`;
}
