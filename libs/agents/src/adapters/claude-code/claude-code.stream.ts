import type { StreamReader } from '../../cli/cli-adapter';
import { contentText, countOf, jsonLine, objectOf, objectsOf, textOf, type JsonObject } from '../../cli/json-line';
import { OpenReply } from '../../cli/open-reply';
import type { StreamRecord } from '../../cli/stream-record';

/** What the record says went wrong when the agent had its turns. */
export const TURNS_REACHED = 'error_max_turns';

/**
 * Reads `--output-format stream-json` of Claude Code. Each block of a reply is an event of its own with the reply's id; their
 * output tokens are those at the reply's beginning, so tokens are known only from the sum in the last event.
 */
export function readClaudeStream(record: StreamRecord): StreamReader {
  const open = new Map<string, { id: string; reply: OpenReply }>();

  const close = (parent: string): void => {
    const found = open.get(parent);
    open.delete(parent);
    if (found !== undefined) record.replied(found.reply.step(undefined, extraOf(parent)));
  };

  const onAssistant = (event: JsonObject): void => {
    const message = objectOf(event['message']);
    // Its own words in place of an answer, when there is none.
    if (message === null || message['model'] === '<synthetic>') return;
    const parent = textOf(event['parent_tool_use_id']) ?? '';
    const id = textOf(message['id']) ?? '';
    if (open.get(parent)?.id !== id) close(parent);
    const current = open.get(parent) ?? { id, reply: new OpenReply() };
    open.set(parent, current);
    for (const block of objectsOf(message['content'])) current.reply.block(block);
  };

  const onUser = (event: JsonObject): void => {
    close(textOf(event['parent_tool_use_id']) ?? '');
    for (const block of objectsOf(objectOf(event['message'])?.['content'])) {
      if (block['type'] !== 'tool_result') continue;
      const callId = textOf(block['tool_use_id']);
      const failed = block['is_error'] === true ? { failed: true } : {};
      record.observed({ callId, content: contentText(block['content']), ...failed });
    }
  };

  const onResult = (event: JsonObject): void => {
    for (const parent of [...open.keys()]) close(parent);
    record.finished = true;
    const usage = objectOf(event['usage']);
    if (usage !== null) record.summed(sumOf(usage));
    if (event['is_error'] !== true) return;
    const status = countOf(event['api_error_status']);
    const said = textOf(event['result']) ?? String(event['subtype']);
    if (event['subtype'] === TURNS_REACHED) record.failed(TURNS_REACHED, false);
    else record.failed(status === 0 ? said : `API Error: ${status} ${said}`, status > 0);
  };

  return (line) => {
    const event = jsonLine(line);
    switch (event?.['type']) {
      case 'system':
        if (event['subtype'] === 'init') record.version ??= textOf(event['claude_code_version']);
        if (event['subtype'] === 'api_retry') record.failed(retryText(event), true);
        return;
      case 'assistant':
        onAssistant(event);
        return;
      case 'user':
        onUser(event);
        return;
      case 'result':
        onResult(event);
        return;
      default:
        return;
    }
  };
}

function retryText(event: JsonObject): string {
  const status = countOf(event['error_status']);
  return status === 0 ? 'Connection error.' : `API Error: ${status} ${textOf(event['error']) ?? ''}`;
}

/** Input tokens are counted without those that were read from or written to the cache. */
function sumOf(usage: JsonObject): { promptTokens: number; completionTokens: number; cachedTokens: number } {
  const cachedTokens = countOf(usage['cache_read_input_tokens']);
  const written = countOf(usage['cache_creation_input_tokens']);
  return {
    promptTokens: countOf(usage['input_tokens']) + cachedTokens + written,
    completionTokens: countOf(usage['output_tokens']),
    cachedTokens,
  };
}

function extraOf(parent: string): Record<string, unknown> | undefined {
  return parent === '' ? undefined : { parent_tool_call_id: parent };
}
