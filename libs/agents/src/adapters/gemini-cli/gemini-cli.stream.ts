import type { StreamReader } from '../../cli/cli-adapter';
import { contentText, countOf, jsonLine, objectOf, textOf, type JsonObject } from '../../cli/json-line';
import { callOf, OpenReply } from '../../cli/open-reply';
import { providerFailure } from '../../cli/provider-failure';
import type { StreamRecord } from '../../cli/stream-record';

/**
 * Reads `--output-format stream-json` of Gemini CLI: pieces of text, calls and results of tools, and one sum of tokens at the
 * end. A reply ends with the first result of a tool, or with the run.
 */
export function readGeminiStream(record: StreamRecord): StreamReader {
  let open: OpenReply | null = null;
  const current = (): OpenReply => (open ??= new OpenReply());
  const close = (): void => {
    if (open !== null) record.replied(open.step());
    open = null;
  };

  const onResult = (event: JsonObject): void => {
    const error = objectOf(event['error']);
    if (error === null) close();
    else {
      if (open !== null) record.said(open.step());
      const text = textOf(error['message']) ?? 'an error without words';
      record.failed(text, providerFailure(text)?.blame === 'infra');
    }
    record.finished = true;
    const stats = objectOf(event['stats']);
    if (stats !== null) record.summed(sumOf(stats));
  };

  return (line) => {
    const event = jsonLine(line);
    switch (event?.['type']) {
      case 'message':
        if (event['role'] === 'assistant') current().say(textOf(event['content']) ?? '');
        return;
      case 'tool_use':
        current().call(callOf(event['tool_id'], event['tool_name'], event['parameters']));
        return;
      case 'tool_result': {
        close();
        const content = contentText(event['output'] ?? objectOf(event['error'])?.['message']);
        const failed = event['status'] === 'success' ? {} : { failed: true };
        record.observed({ callId: textOf(event['tool_id']), content, ...failed });
        return;
      }
      case 'result':
        onResult(event);
        return;
      default:
        return;
    }
  };
}

function sumOf(stats: JsonObject): { promptTokens: number; completionTokens: number; cachedTokens: number } {
  return {
    promptTokens: countOf(stats['input_tokens']),
    completionTokens: countOf(stats['output_tokens']),
    cachedTokens: countOf(stats['cached']),
  };
}
