import { characters, count, member, text } from '../json/json-access';
import { errorIn, replyError } from './error-in';
import type { Reading } from './reading';

/**
 * An event of the Anthropic messages stream. The prompt's tokens come with message_start, those of the completion with
 * message_delta (cumulative); what message_start says of output is no count yet.
 */
export function readMessagesEvent(reading: Reading, event: unknown): void {
  switch (member(event, 'type')) {
    case 'message_start':
      reading.model = text(member(event, 'message', 'model')) ?? reading.model;
      readPrompt(reading, member(event, 'message', 'usage'));
      return;
    case 'content_block_start':
    case 'content_block_delta':
      reading.generated += generatedIn(member(event, 'delta') ?? member(event, 'content_block'));
      return;
    case 'message_delta':
      readPrompt(reading, member(event, 'usage'));
      reading.completion = count(member(event, 'usage', 'output_tokens')) ?? reading.completion;
      if (text(member(event, 'delta', 'stop_reason')) !== null) reading.finished = true;
      return;
    case 'message_stop':
      reading.finished = true;
      reading.lastWord = true;
      return;
    case 'error':
      reading.error ??= errorIn(event) ?? replyError(null);
      return;
    default:
      return;
  }
}

/** The whole message of a reply that was not streamed. */
export function readMessage(reading: Reading, message: unknown): void {
  reading.model = text(member(message, 'model')) ?? reading.model;
  reading.error ??= errorIn(message);
  readPrompt(reading, member(message, 'usage'));
  reading.completion = count(member(message, 'usage', 'output_tokens')) ?? reading.completion;
}

/** Anthropic's input_tokens leave out what was read from and written to the cache; a later count may lack some fields. */
function readPrompt(reading: Reading, usage: unknown): void {
  const input = count(member(usage, 'input_tokens'));
  if (input === null) return;
  reading.cached = count(member(usage, 'cache_read_input_tokens')) ?? reading.cached;
  reading.cacheWrite = count(member(usage, 'cache_creation_input_tokens')) ?? reading.cacheWrite;
  reading.prompt = input + reading.cached + reading.cacheWrite;
}

function generatedIn(part: unknown): number {
  return ['text', 'thinking', 'partial_json', 'name'].reduce((sum, name) => sum + characters(member(part, name)), 0);
}
