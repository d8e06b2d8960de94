import type { StreamReader } from '../../cli/cli-adapter';
import { contentText, countOf, jsonLine, objectOf, objectsOf, textOf, type JsonObject } from '../../cli/json-line';
import { OpenReply } from '../../cli/open-reply';
import { providerFailure } from '../../cli/provider-failure';
import type { StreamRecord } from '../../cli/stream-record';
import type { StepTokens } from '../../trajectory/trajectory-step';

/**
 * Reads `--output-format stream-json` of qwen-code. One reply is several events: text without usage, then the tool calls with
 * the usage of the whole reply; a reply of text alone carries its usage itself. So a reply ends with the event that has usage,
 * or, where the provider reports none, with the first result of a tool. Sub-agents' replies come between, marked with the call
 * that started them.
 */
export function readQwenStream(record: StreamRecord): StreamReader {
  const open = new Map<string, OpenReply>();

  const close = (parent: string, metrics: StepTokens | undefined): void => {
    const reply = open.get(parent);
    if (reply === undefined) return;
    open.delete(parent);
    record.replied(reply.step(metrics, extraOf(parent)));
  };

  const onAssistant = (event: JsonObject): void => {
    const parent = parentOf(event);
    const message = objectOf(event['message']);
    const reply = open.get(parent) ?? new OpenReply();
    open.set(parent, reply);
    for (const block of objectsOf(message?.['content'])) reply.block(block);
    const usage = tokensOf(message?.['usage']);
    if (usage !== undefined) close(parent, usage);
  };

  const onUser = (event: JsonObject): void => {
    close(parentOf(event), undefined);
    for (const block of objectsOf(objectOf(event['message'])?.['content'])) {
      if (block['type'] !== 'tool_result') continue;
      const content = contentText(block['content']);
      const callId = textOf(block['tool_use_id']);
      record.observed({ callId, content, ...(block['is_error'] === true ? { failed: true } : {}) });
    }
  };

  const onResult = (event: JsonObject): void => {
    record.finished = true;
    if (event['is_error'] !== true) {
      for (const parent of [...open.keys()]) close(parent, undefined);
      return;
    }
    // What is open is half a reply, or the words of the error itself.
    for (const [parent, reply] of open) record.said(reply.step(undefined, extraOf(parent)));
    open.clear();
    const said = textOf(objectOf(event['error'])?.['message']) ?? textOf(event['result']) ?? 'an error without words';
    record.failed(said, providerFailure(said)?.blame === 'infra');
  };

  return (line) => {
    const event = jsonLine(line);
    switch (event?.['type']) {
      case 'system':
        if (event['subtype'] === 'init') record.version ??= textOf(event['qwen_code_version']);
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

/** Undefined for the zeros that stand in events whose reply goes on, and for a provider that reports nothing. */
function tokensOf(usage: unknown): StepTokens | undefined {
  const told = objectOf(usage) ?? {};
  const promptTokens = countOf(told['input_tokens']);
  const completionTokens = countOf(told['output_tokens']);
  if (promptTokens + completionTokens === 0) return undefined;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: Math.min(promptTokens, countOf(told['cache_read_input_tokens'])),
  };
}

function parentOf(event: JsonObject): string {
  return textOf(event['parent_tool_use_id']) ?? '';
}

function extraOf(parent: string): Record<string, unknown> | undefined {
  return parent === '' ? undefined : { parent_tool_call_id: parent };
}
