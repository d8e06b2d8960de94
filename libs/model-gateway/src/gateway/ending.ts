import { assertNever, Failure } from '@assay/contracts';
import { classify, InfraError } from '@assay/failures';
import type { Reading } from '../metering/reading';
import type { ExchangeEnd, RecordedTry } from '../record/exchange-line.schema';
import type { Redactor } from '../record/redactor';
import { SecretEchoed } from '../upstream/secret-guard';
import { UpstreamBroken } from '../upstream/upstream.client';

/** How an exchange ended; a failure is ours or the provider's. */
export type Ending =
  | { readonly end: Exclude<ExchangeEnd, 'upstream_failure'>; readonly failure: null }
  | { readonly end: 'upstream_failure'; readonly failure: Failure };

/**
 * How a reply that was passed on ended. One whose last word was seen is complete, whatever became of the connection then:
 * clients hang up there.
 * @param error what stopped the passing on; null: the reply came to its end
 */
export function endOfReply(reading: Readonly<Reading>, error: unknown, clientGone: boolean): Ending {
  if (reading.error !== null) {
    return reading.error.ofRequest
      ? { end: 'client_error', failure: null }
      : providerFailed(`the provider told of an error inside its reply: ${reading.error.message}`);
  }
  if (reading.lastWord || (error === null && reading.finished)) return { end: 'completed', failure: null };
  if (clientGone) return { end: 'client_abort', failure: null };
  if (error === null) return providerFailed('the reply of the provider ended before it was finished');
  return failedBy(error);
}

/**
 * How an exchange ended whose client did not wait for an answer. One that the provider had failed already is the
 * provider's failure: an agent whose time ran out while we tried again has not had its model.
 */
export function endOfWaiting(tries: readonly RecordedTry[]): Ending {
  const reason = tries.findLast((tried) => tried.reason !== null)?.reason ?? null;
  return reason === null ? { end: 'client_abort', failure: null } : providerFailed(reason);
}

/** The provider's fault or that of the way to it. `configuration`: trying again will not help. */
export function providerFailed(reason: string, configuration = false): Ending {
  const code = configuration ? 'model_refused' : 'model_unavailable';
  const failure = new InfraError(reason, { code, phase: 'agent' }).toFailure();
  return { end: 'upstream_failure', failure };
}

/** Whatever else stopped an exchange: ours. */
export function failedBy(error: unknown): Ending {
  if (error instanceof UpstreamBroken) return providerFailed(error.message);
  if (error instanceof SecretEchoed) return providerFailed(error.message, true);
  return { end: 'upstream_failure', failure: classify(error, 'agent') };
}

/** The same, without the key wherever a provider or a library may have put it into words. */
export function withoutKey(ending: Ending, redactor: Redactor): Ending {
  if (ending.end !== 'upstream_failure') return ending;
  return { ...ending, failure: Failure.parse(JSON.parse(redactor.text(JSON.stringify(ending.failure)))) };
}

/** How the try behind an exchange has to be told to the circuit breaker. */
export function breakerVerdict({ end }: Ending): 'worked' | 'failed' | 'abandoned' {
  switch (end) {
    case 'completed':
    case 'client_error':
      return 'worked';
    case 'upstream_failure':
      return 'failed';
    case 'client_abort':
      return 'abandoned';
    default:
      return assertNever(end);
  }
}
