import type { ReachedLimit, TrialLimits } from '@assay/contracts';
import type { BlamedError } from '@assay/failures';
import type { AgentReport, AgentRun } from '../trial-agent.port';
import { StepList } from '../trajectory/step-list';
import type { TrajectoryStep } from '../trajectory/trajectory-step';
import type { ChatMessage, ChatReply } from './chat.client';

/** Characters of a token, roughly: only where the provider reports no usage, and marked as an estimate. */
const CHARACTERS_PER_TOKEN = 4;

/** Dollars for a million tokens, from the agent's options. */
interface Prices {
  readonly prompt: number;
  readonly completion: number;
}

/** What a conversation came to: steps, tokens, money, and what was seen of the model. */
export class MiniRecord {
  private readonly steps = new StepList();
  private calls = 0;
  private completed = 0;
  private lastFailed = false;
  private promptTokens = 0;
  private completionTokens = 0;
  private cachedTokens = 0;
  private estimated = false;
  private readonly prices: Prices | null;

  constructor(private readonly run: Pick<AgentRun, 'options' | 'log' | 'steps'>) {
    this.prices = pricesOf(run.options['pricePerMillion']);
  }

  told(source: 'system' | 'user', message: string): void {
    this.add({ timestamp: now(), source, message });
    this.run.log(`[${source}]\n${message}\n\n`);
  }

  asked(): void {
    this.calls += 1;
  }

  failed(): void {
    this.lastFailed = true;
  }

  answered(reply: ChatReply, messages: readonly ChatMessage[]): void {
    this.completed += 1;
    this.lastFailed = false;
    const { promptTokens, completionTokens, cachedTokens } = reply;
    if (promptTokens === null || completionTokens === null) this.estimated = true;
    const asked = messages.reduce((sum, { content }) => sum + content.length, 0);
    this.promptTokens += promptTokens ?? Math.ceil(asked / CHARACTERS_PER_TOKEN);
    this.completionTokens += completionTokens ?? Math.ceil(reply.content.length / CHARACTERS_PER_TOKEN);
    this.cachedTokens += cachedTokens;
    this.run.log(`[agent]\n${reply.content}\n\n`);
  }

  said(reply: ChatReply, command: string | null, observation: string): void {
    const id = `call-${this.completed}`;
    this.add({
      timestamp: now(),
      source: 'agent',
      message: reply.content,
      ...(command === null ? {} : { toolCalls: [{ id, name: 'bash', arguments: { command } }] }),
      observations: [{ callId: command === null ? null : id, content: observation }],
      metrics: {
        promptTokens: reply.promptTokens ?? 0,
        completionTokens: reply.completionTokens ?? 0,
        cachedTokens: reply.cachedTokens,
      },
    });
  }

  /** Which limit stands before the next turn, if one does. */
  reached({ turns, calls, tokens, costUsd }: TrialLimits, turn: number): ReachedLimit | null {
    if (turns !== null && turn > turns) return 'turns';
    if (calls !== null && this.calls >= calls) return 'calls';
    if (tokens !== null && this.promptTokens + this.completionTokens >= tokens) return 'tokens';
    const cost = this.cost();
    return costUsd !== null && cost !== null && cost >= costUsd ? 'cost' : null;
  }

  report(limit: ReachedLimit | null, crash: BlamedError | null): AgentReport {
    return {
      limit,
      crash,
      steps: this.steps.all(),
      usage: {
        calls: this.calls,
        promptTokens: this.promptTokens,
        completionTokens: this.completionTokens,
        cachedTokens: this.cachedTokens,
        costUsd: this.cost(),
        estimated: this.estimated,
      },
      model: { usesModel: true, completedExchanges: this.completed, lastFailedUpstream: this.lastFailed },
    };
  }

  private add(step: TrajectoryStep): void {
    this.steps.step(step);
    this.run.steps?.step(step);
  }

  private cost(): number | null {
    if (this.prices === null) return null;
    return (this.promptTokens * this.prices.prompt + this.completionTokens * this.prices.completion) / 1_000_000;
  }
}

function pricesOf(option: unknown): Prices | null {
  if (typeof option !== 'object' || option === null) return null;
  const { prompt, completion } = option as Record<string, unknown>;
  return typeof prompt === 'number' && typeof completion === 'number' ? { prompt, completion } : null;
}

function now(): string {
  return new Date().toISOString();
}
