import type { StreamReader } from '../../cli/cli-adapter';
import { contentText, countOf, jsonLine, objectOf, textOf, type JsonObject } from '../../cli/json-line';
import { callOf, OpenReply } from '../../cli/open-reply';
import type { StreamRecord } from '../../cli/stream-record';
import type { Observation, StepTokens } from '../../trajectory/trajectory-step';

/**
 * Reads `opencode run --format json`. A tool is told of when it has ended, so its call and its result come together; a reply
 * lies between `step_start` and `step_finish`, which has its tokens.
 */
export function readOpencodeStream(record: StreamRecord): StreamReader {
  let open = new OpenReply();
  let results: Observation[] = [];

  const onTool = (part: JsonObject): void => {
    const state = objectOf(part['state']) ?? {};
    const callId = textOf(part['callID']);
    open.call(callOf(callId, part['tool'], state['input']));
    const failed = state['status'] === 'error' ? { failed: true } : {};
    results.push({ callId, content: contentText(state['output'] ?? state['error']), ...failed });
  };

  const close = (part: JsonObject): void => {
    record.replied(open.step(tokensOf(objectOf(part['tokens']) ?? {})));
    for (const result of results) record.observed(result);
    if (part['reason'] === 'stop') record.finished = true;
    open = new OpenReply();
    results = [];
  };

  const onError = (error: JsonObject): void => {
    const data = objectOf(error['data']) ?? {};
    const status = countOf(data['statusCode']);
    const said = textOf(data['message']) ?? textOf(error['name']) ?? 'an error without words';
    record.failed(status === 0 ? said : `API Error: ${status} ${said}`, error['name'] === 'APIError');
  };

  return (line) => {
    const event = jsonLine(line);
    const part = objectOf(event?.['part']) ?? {};
    switch (event?.['type']) {
      case 'step_start':
        open = new OpenReply();
        results = [];
        return;
      case 'text':
        open.say(textOf(part['text']) ?? '');
        return;
      case 'reasoning':
        open.block({ type: 'thinking', thinking: part['text'] });
        return;
      case 'tool_use':
        onTool(part);
        return;
      case 'step_finish':
        close(part);
        return;
      case 'error':
        onError(objectOf(event['error']) ?? {});
        return;
      default:
        return;
    }
  };
}

/** Input tokens are counted without those of the cache. */
function tokensOf(tokens: JsonObject): StepTokens | undefined {
  const cache = objectOf(tokens['cache']) ?? {};
  const cachedTokens = countOf(cache['read']);
  const promptTokens = countOf(tokens['input']) + cachedTokens + countOf(cache['write']);
  const completionTokens = countOf(tokens['output']) + countOf(tokens['reasoning']);
  return promptTokens + completionTokens === 0 ? undefined : { promptTokens, completionTokens, cachedTokens };
}
