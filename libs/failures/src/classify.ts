import { Failure, type Phase } from '@assay/contracts';
import { causeChain, withoutCredentials } from './cause-chain';
import type { FailureCode } from './codes';
import { BlamedError } from './errors';
import { tellingCode } from './system-codes';

/** A failure whose code is one of ours. One that came in a message may have any. */
export type ClassifiedFailure = Failure & { readonly code: FailureCode };

/**
 * Turns whatever was thrown into a Failure that fits its schema. The only catch-all: a BlamedError keeps its blame, code
 * and phase; a system error becomes infra under a telling code (`disk_full`, `connection_refused`, …); everything else
 * is infra `unknown`. What is not understood is our fault, never the agent's, wherever in the chain an AgentError stands.
 * Names, messages and codes of the whole cause chain are kept in `details.causes`. Never throws.
 */
export function classify(error: unknown, phase: Phase): ClassifiedFailure {
  try {
    return error instanceof BlamedError ? blamed(error, phase) : unblamed(error, phase);
  } catch {
    return { blame: 'infra', code: 'unknown', message: 'an error that cannot be read', phase, details: {} };
  }
}

function blamed(error: BlamedError, phase: Phase): ClassifiedFailure {
  const failure = error.toFailure();
  const details = asJson({ ...failure.details, ...(error.cause === undefined ? {} : { causes: causes(error.cause) }) });
  const parsed = Failure.safeParse({ ...failure, message: withoutCredentials(failure.message), details });
  if (parsed.success) return { ...parsed.data, code: error.code };
  // A code or phase that breaks the schema is our mistake, but whose fault the failure is was still said.
  return { blame: failure.blame, code: 'unknown', message: failure.message, phase, details };
}

function unblamed(error: unknown, phase: Phase): ClassifiedFailure {
  const chain = causeChain(error);
  const code = chain.map(tellingCode).find((found) => found !== null) ?? 'unknown';
  const said = chain.map(({ message }) => message).join(': ');
  const message = said === '' ? `a thrown ${String(error)}` : said.slice(0, 4000);
  return { blame: 'infra', code, message, phase, details: { causes: causes(error) } };
}

function causes(error: unknown): Record<string, string>[] {
  return causeChain(error).map(({ name, message, code, syscall }) => ({
    name,
    message,
    ...(code === null ? {} : { code }),
    ...(syscall === null ? {} : { syscall }),
  }));
}

/** Details as they survive the wire: what JSON cannot hold is left out, or printed. */
function asJson(details: Record<string, unknown>): Record<string, unknown> {
  const ancestors: object[] = [];
  const text = JSON.stringify(details, function (this: unknown, _key, value: unknown) {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'object' || value === null) return value;
    while (ancestors.length > 0 && ancestors.at(-1) !== this) ancestors.pop();
    if (ancestors.includes(value)) return undefined;
    ancestors.push(value);
    return value;
  });
  return JSON.parse(text) as Record<string, unknown>;
}
