import { characters, count, list, member, text } from '../json/json-access';
import { errorIn, replyError } from './error-in';
import type { Reading } from './reading';

/**
 * Google's generateContent: a piece of a stream, or the whole reply. usageMetadata is cumulative, and the last one counts; a
 * count of zero is left out of it, as protobuf's JSON does. Thoughts are billed as output, and the prompt's count includes
 * what was cached (ai.google.dev/api/generate-content, UsageMetadata).
 */
export function readGemini(reading: Reading, json: unknown): void {
  reading.model = text(member(json, 'modelVersion')) ?? reading.model;
  reading.error ??= errorIn(json) ?? blockedPrompt(json);
  for (const candidate of list(member(json, 'candidates'))) {
    reading.generated += generatedIn(member(candidate, 'content', 'parts'));
    if (text(member(candidate, 'finishReason')) !== null) reading.finished = true;
  }
  readUsage(reading, member(json, 'usageMetadata'));
}

function readUsage(reading: Reading, usage: unknown): void {
  const prompt = count(member(usage, 'promptTokenCount'));
  if (prompt === null) return;
  reading.prompt = prompt + (count(member(usage, 'toolUsePromptTokenCount')) ?? 0);
  reading.cached = count(member(usage, 'cachedContentTokenCount')) ?? reading.cached;
  const said = [member(usage, 'candidatesTokenCount'), member(usage, 'thoughtsTokenCount')].map(count);
  if (reading.finished || said.some((one) => one !== null)) {
    reading.completion = said.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  }
}

/** A prompt that is not allowed has no candidates: the request itself was refused. */
function blockedPrompt(json: unknown): Reading['error'] {
  const reason = text(member(json, 'promptFeedback', 'blockReason'));
  return reason === null ? null : replyError(`the prompt is blocked: ${reason}`, [400]);
}

function generatedIn(parts: unknown): number {
  return list(parts).reduce<number>((sum, part) => {
    const call = member(part, 'functionCall');
    const called =
      call === undefined ? 0 : characters(member(call, 'name')) + JSON.stringify(member(call, 'args') ?? {}).length;
    return sum + characters(member(part, 'text')) + called;
  }, 0);
}
