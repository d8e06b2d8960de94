import type { StreamReader } from '../../cli/cli-adapter';
import { countOf, jsonLine, objectOf, textOf, type JsonObject } from '../../cli/json-line';
import { callOf, OpenReply } from '../../cli/open-reply';
import { providerFailure } from '../../cli/provider-failure';
import type { StreamRecord } from '../../cli/stream-record';

/** Members of an item that are no arguments of what it did. */
const NOT_ARGUMENTS = new Set(['id', 'type', 'status', 'aggregated_output', 'exit_code', 'result', 'error']);

/**
 * Reads `codex exec --json`: items that begin and end (messages, commands, changes of files, calls of MCP tools), and one sum of
 * tokens at the end. Each ended item is a step. Replies are only told apart by their messages, so their number is the least that
 * there were.
 */
export function readCodexStream(record: StreamRecord): StreamReader {
  const onItem = (item: JsonObject): void => {
    const step = new OpenReply();
    switch (item['type']) {
      case 'agent_message':
        step.say(textOf(item['text']) ?? '');
        record.replied(step.step());
        return;
      case 'reasoning':
        step.block({ type: 'thinking', thinking: item['text'] });
        record.said(step.step());
        return;
      case 'error':
        // A warning; what ends the turn is told by `turn.failed`.
        return;
      default: {
        const { id } = item;
        const args = Object.fromEntries(Object.entries(item).filter(([name]) => !NOT_ARGUMENTS.has(name)));
        step.call(callOf(id, item['type'], args));
        record.said(step.step());
        record.observed({ callId: textOf(id), content: outputOf(item), ...(failed(item) ? { failed: true } : {}) });
      }
    }
  };

  const onFailure = (value: unknown): void => {
    const text = textOf(value) ?? 'an error without words';
    // What it cannot name it calls high demand: so it says of a 500.
    const upstream = providerFailure(text)?.blame === 'infra' || /high demand/.test(text);
    record.failed(/high demand/.test(text) ? `API Error: 500 ${text}` : text, upstream);
  };

  return (line) => {
    const event = jsonLine(line);
    switch (event?.['type']) {
      case 'item.completed':
        onItem(objectOf(event['item']) ?? {});
        return;
      case 'turn.completed':
        record.finished = true;
        record.summed(sumOf(objectOf(event['usage']) ?? {}));
        return;
      case 'turn.failed':
        onFailure(objectOf(event['error'])?.['message']);
        return;
      case 'error':
        onFailure(event['message']);
        return;
      default:
        return;
    }
  };
}

function outputOf(item: JsonObject): string {
  const output = textOf(item['aggregated_output']);
  if (output !== null) return output;
  const result = item['result'] ?? item['error'];
  return result === undefined || result === null ? '' : JSON.stringify(result);
}

function failed(item: JsonObject): boolean {
  const code = item['exit_code'];
  return item['status'] === 'failed' || (typeof code === 'number' && code !== 0);
}

function sumOf(usage: JsonObject): { promptTokens: number; completionTokens: number; cachedTokens: number } {
  return {
    promptTokens: countOf(usage['input_tokens']),
    completionTokens: countOf(usage['output_tokens']),
    cachedTokens: countOf(usage['cached_input_tokens']),
  };
}
