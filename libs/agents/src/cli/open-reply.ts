import type { StepTokens, ToolCall, TrajectoryStep } from '../trajectory/trajectory-step';
import { objectOf, textOf, type JsonObject } from './json-line';

/** A reply of the model whose pieces are still coming. */
export class OpenReply {
  private readonly texts: string[] = [];
  private readonly thoughts: string[] = [];
  private readonly calls: ToolCall[] = [];

  say(text: string): void {
    this.texts.push(text);
  }

  call(call: ToolCall): void {
    this.calls.push(call);
  }

  /** A block as Anthropic's messages have it: text, thinking or tool_use; others say nothing here. */
  block(block: JsonObject): void {
    switch (block['type']) {
      case 'text':
        this.texts.push(textOf(block['text']) ?? '');
        return;
      case 'thinking':
        this.thoughts.push(textOf(block['thinking']) ?? '');
        return;
      case 'tool_use':
        this.calls.push(callOf(block['id'], block['name'], block['input']));
        return;
      default:
        return;
    }
  }

  step(metrics?: StepTokens, extra?: Readonly<Record<string, unknown>>): TrajectoryStep {
    return {
      timestamp: new Date().toISOString(),
      source: 'agent',
      message: this.texts.join(''),
      ...(this.thoughts.length === 0 ? {} : { reasoning: this.thoughts.join('') }),
      ...(this.calls.length === 0 ? {} : { toolCalls: [...this.calls] }),
      ...(metrics === undefined ? {} : { metrics }),
      ...(extra === undefined ? {} : { extra }),
    };
  }
}

/** A tool's call from whatever a stream tells of it. */
export function callOf(id: unknown, name: unknown, args: unknown): ToolCall {
  return {
    id: nonEmpty(id) ?? 'unnamed',
    name: nonEmpty(name) ?? 'unknown',
    arguments: objectOf(args) ?? {},
  };
}

function nonEmpty(value: unknown): string | null {
  const text = textOf(value);
  return text === '' ? null : text;
}
