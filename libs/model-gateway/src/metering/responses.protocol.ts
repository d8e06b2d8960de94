import { characters, count, member, text } from '../json/json-access';
import { errorIn, replyError } from './error-in';
import type { Reading } from './reading';

/** An event of the OpenAI responses stream. Its last word is response.completed, .incomplete or .failed. */
export function readResponsesEvent(reading: Reading, event: unknown): void {
  const type = text(member(event, 'type')) ?? '';
  if (type.endsWith('.delta')) reading.generated += characters(member(event, 'delta'));
  const response = member(event, 'response');
  if (response !== undefined) readResponse(reading, response);
  if (type === 'response.failed') reading.error ??= replyError('the response failed');
  if (type === 'error') {
    reading.error ??= errorIn(event) ?? replyError(text(member(event, 'message')), [member(event, 'code')]);
  }
  if (['response.completed', 'response.incomplete', 'response.failed'].includes(type)) {
    reading.finished = true;
    reading.lastWord = true;
  }
}

/** The response object, whole or as an event carries it. */
export function readResponse(reading: Reading, response: unknown): void {
  reading.model = text(member(response, 'model')) ?? reading.model;
  reading.error ??= errorIn(response);
  if (member(response, 'status') === 'failed') reading.error ??= replyError('the response failed');
  reading.prompt = count(member(response, 'usage', 'input_tokens')) ?? reading.prompt;
  reading.completion = count(member(response, 'usage', 'output_tokens')) ?? reading.completion;
  reading.cached = count(member(response, 'usage', 'input_tokens_details', 'cached_tokens')) ?? reading.cached;
}
