import { characters, count, list, member, text } from '../json/json-access';
import { errorIn } from './error-in';
import type { Reading } from './reading';

/**
 * OpenAI chat completions: a chunk of a stream (`chat.completion.chunk`), or the whole reply. Usage is cumulative where a
 * provider sends it with every chunk, so the last one counts. The names of DeepSeek's and Moonshot's cache counts too.
 */
export function readChat(reading: Reading, json: unknown): void {
  reading.model = text(member(json, 'model')) ?? reading.model;
  reading.error ??= errorIn(json);
  const usage = member(json, 'usage');
  if (typeof usage === 'object' && usage !== null) {
    reading.prompt = count(member(usage, 'prompt_tokens')) ?? reading.prompt;
    reading.completion = count(member(usage, 'completion_tokens')) ?? reading.completion;
    reading.cached =
      count(member(usage, 'prompt_tokens_details', 'cached_tokens')) ??
      count(member(usage, 'prompt_cache_hit_tokens')) ??
      count(member(usage, 'cached_tokens')) ??
      reading.cached;
  }
  for (const choice of list(member(json, 'choices'))) {
    reading.generated += generatedIn(member(choice, 'delta'));
    if (text(member(choice, 'finish_reason')) !== null) reading.finished = true;
  }
}

function generatedIn(delta: unknown): number {
  const texts = ['content', 'reasoning_content', 'reasoning', 'refusal'].map((name) => characters(member(delta, name)));
  const calls = list(member(delta, 'tool_calls')).map(
    (call) => characters(member(call, 'function', 'name')) + characters(member(call, 'function', 'arguments')),
  );
  return [...texts, ...calls].reduce((sum, more) => sum + more, 0);
}
