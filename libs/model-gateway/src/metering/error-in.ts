import { member, text } from '../json/json-access';

/** What a provider said went wrong inside a reply of status 200. */
export interface ReplyError {
  readonly message: string;
  /** The request itself was refused, as a 4xx does it: a conversation too long, a prompt that is not allowed. */
  readonly ofRequest: boolean;
}

/** Types and codes of OpenAI, Anthropic and OpenRouter that blame the request. */
const OF_REQUEST = new Set<unknown>([
  'invalid_request_error',
  'request_too_large',
  'context_length_exceeded',
  'invalid_prompt',
  400,
  413,
  422,
]);

/** The error that a reply of status 200 tells of; null when it tells none. */
export function errorIn(json: unknown): ReplyError | null {
  const error = member(json, 'error');
  if (error === undefined || error === null || error === false) return null;
  const message = text(error) ?? text(member(error, 'message')) ?? text(member(error, 'type'));
  return replyError(message, [member(error, 'type'), member(error, 'code')]);
}

export function replyError(message: string | null, kinds: readonly unknown[] = []): ReplyError {
  return {
    message: (message ?? 'an error without words').slice(0, 500),
    ofRequest: kinds.some((kind) => OF_REQUEST.has(kind)),
  };
}
