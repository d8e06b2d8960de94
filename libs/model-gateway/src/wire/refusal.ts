import { assertNever } from '@assay/contracts';
import type { BudgetKind } from '../access/budget';
import type { Protocol } from './routes';

/** An answer of the gateway's own: it never came from the provider. */
export interface Refusal {
  readonly status: number;
  /** Stable, snake_case, begins with `assay_`. */
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The clients of OpenAI and Anthropic obey this before they look at the status. */
const DO_NOT_RETRY = { 'x-should-retry': 'false' };

export const UNKNOWN_PATH: Refusal = {
  status: 404,
  code: 'assay_unknown_path',
  message:
    'this gateway serves POST /v1/chat/completions, /v1/responses, /v1/messages, /v1beta/models/{model}:generateContent and :streamGenerateContent?alt=sse, and GET /v1/models, and nothing else',
};

export const WRONG_TOKEN: Refusal = {
  status: 401,
  code: 'assay_token_invalid',
  message: 'this token belongs to no open trial',
  headers: DO_NOT_RETRY,
};

export const TOO_MANY_AT_ONCE: Refusal = {
  status: 429,
  code: 'assay_too_many_at_once',
  message: 'this trial has too many requests open at the same time',
  headers: { 'retry-after': '1' },
};

/**
 * The answer to a call beyond a budget. 403, because what agents do with a 429 is to wait and try again, for hours if need
 * be, while a 403 ends them at once (docs/adr/0008-model-gateway.md).
 */
export function limitReached(kind: BudgetKind, of: 'trial' | 'run'): Refusal {
  return {
    status: 403,
    code: `assay_limit_${kind}`,
    message: `the ${of}'s ${limitWords(kind)} used up; further calls are refused`,
    headers: DO_NOT_RETRY,
  };
}

function limitWords(kind: BudgetKind): string {
  switch (kind) {
    case 'calls':
      return 'number of model calls is';
    case 'tokens':
      return 'number of tokens is';
    case 'cost':
      return 'money is';
    case 'time':
      return 'time is';
    default:
      return assertNever(kind);
  }
}

export function badRequest(code: string, message: string, status = 400): Refusal {
  return { status, code, message, headers: DO_NOT_RETRY };
}

/** Our own or the provider's fault, where the provider has no answer that could be passed on. */
export function unavailable(code: string, message: string, retryAfterMs: number | null = null): Refusal {
  const seconds = retryAfterMs === null ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return { status: 503, code, message, headers: seconds };
}

/** The error in the words of the protocol that the client speaks, so that its library shows the message. */
export function refusalBody({ status, code, message }: Refusal, protocol: Protocol): string {
  const type = TYPES[status] ?? 'api_error';
  switch (protocol) {
    case 'chat':
    case 'responses':
      return JSON.stringify({ error: { message, type, param: null, code } });
    case 'messages':
      return JSON.stringify({ type: 'error', error: { type, message, code } });
    case 'gemini': {
      const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'assay' };
      const state = STATES[status] ?? 'INTERNAL';
      return JSON.stringify({ error: { code: status, message, status: state, details: [info] } });
    }
    default:
      return assertNever(protocol);
  }
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** The names of google.rpc.Code that Google's servers put beside these statuses. */
const STATES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};
