import { ResultMessage } from '@assay/contracts';
import { ContractError } from '@assay/failures';
import { failedOutcome } from './failed-outcome';
import type { Fence } from './lease';
import type { FailedWork, OutcomeOf, WorkerOptions, WorkResult } from './work-types';

/** What the results stream takes (1 MiB, headers included), less room for the headers. */
export const LARGEST_RESULT_BYTES = 1024 * 1024 - 8 * 1024;

type Ending = { readonly result: WorkResult<FailedWork['kind']> } | { readonly error: unknown };

/**
 * The message for how work ended. Whatever cannot be sent (an outcome that breaks the contract, one that is too large, a
 * hook that throws) is turned into a failure of ours: work never ends without a result.
 */
export function resultMessageOf(
  fence: Fence,
  work: FailedWork,
  ending: Ending,
  toFailedOutcome: NonNullable<WorkerOptions['toFailedOutcome']> = failedOutcome,
): ResultMessage {
  if ('result' in ending) {
    const checked = checkedMessage(fence, work, ending.result);
    return checked instanceof ContractError ? failedMessage(fence, work, checked, toFailedOutcome) : checked;
  }
  return failedMessage(fence, work, ending.error, toFailedOutcome);
}

function failedMessage(
  fence: Fence,
  work: FailedWork,
  error: unknown,
  toFailedOutcome: NonNullable<WorkerOptions['toFailedOutcome']>,
): ResultMessage {
  const checked = checkedMessage(fence, work, { outcome: hooked(error, work, toFailedOutcome), artifacts: [] });
  if (!(checked instanceof ContractError)) return checked;
  return ResultMessage.parse({ kind: work.kind, ...fence, outcome: failedOutcome(checked, work), artifacts: [] });
}

function hooked(
  error: unknown,
  work: FailedWork,
  toFailedOutcome: NonNullable<WorkerOptions['toFailedOutcome']>,
): OutcomeOf<FailedWork['kind']> {
  try {
    return toFailedOutcome(error, work);
  } catch (thrown) {
    return failedOutcome(thrown, work);
  }
}

function checkedMessage(
  fence: Fence,
  work: FailedWork,
  result: WorkResult<FailedWork['kind']>,
): ResultMessage | ContractError {
  const parsed = ResultMessage.safeParse({ kind: work.kind, ...fence, ...result });
  if (!parsed.success) {
    return new ContractError(`the outcome breaks the contract: ${parsed.error.message.slice(0, 1000)}`, {
      code: 'malformed_outcome',
      phase: 'upload',
    });
  }
  const bytes = Buffer.byteLength(JSON.stringify(parsed.data));
  if (bytes <= LARGEST_RESULT_BYTES) return parsed.data;
  return new ContractError(`the result has ${bytes} bytes, at most ${LARGEST_RESULT_BYTES} can be sent`, {
    code: 'result_too_large',
    phase: 'upload',
    details: { bytes },
  });
}
