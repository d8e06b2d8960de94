import type { Failure, ModelEvidence, Usage } from '@assay/contracts';
import { PICO_PER_USD } from '../pricing/price-list';
import type { ExchangeEnd } from '../record/exchange-line.schema';
import type { BudgetKind, Spent } from './budget';

/** What the gateway saw of one trial: its bill, and the evidence of design rule 4. */
export interface GatewayUsage {
  /** Requests for a completion that went to the provider; its own further tries are not counted apart. */
  readonly calls: number;
  /** Include the cached ones. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  /** Prompt tokens written to the provider's cache. */
  readonly cacheWriteTokens: number;
  /** Null: at least one exchange had no known price. */
  readonly costUsd: number | null;
  /** Some counts are estimates, because the provider told none. */
  readonly estimated: boolean;
  /** The bound that refused a call, or whose time ran out; null: none was met. */
  readonly limit: { readonly kind: BudgetKind; readonly of: 'trial' | 'run' } | null;
  readonly completedExchanges: number;
  /** How the exchange that ended last ended. `client_error`: the provider refused the request itself (4xx). */
  readonly lastExchange: ExchangeEnd | 'none';
  /** What went wrong at the provider or in the gateway, the last time that it did. Our fault. */
  readonly lastFailure: Failure | null;
  /** Not null: the record has holes. Our fault. */
  readonly recordFailure: Failure | null;
  /** Requests that the gateway answered with a refusal of its own. */
  readonly refused: number;
  /** Milliseconds from a request to the first token of its reply; null: there was none. */
  readonly firstToken: { readonly samples: number; readonly meanMs: number; readonly maxMs: number } | null;
  /** The models that were asked for, in the order of their first use. */
  readonly models: readonly string[];
}

/** The bill as it travels in a trial's result. */
export function usageOf(usage: GatewayUsage): Usage {
  const { calls, promptTokens, completionTokens, cachedTokens, costUsd, estimated } = usage;
  return { calls, promptTokens, completionTokens, cachedTokens, costUsd, estimated };
}

/** The evidence as it travels in a trial's result (design rule 4). */
export function evidenceOf({ completedExchanges, lastExchange }: GatewayUsage): ModelEvidence {
  return { usesModel: true, completedExchanges, lastFailedUpstream: lastExchange === 'upstream_failure' };
}

/** Collects what is no matter of budgets. */
export class UsageNotes {
  private completed = 0;
  private last: ExchangeEnd | 'none' = 'none';
  private failure: Failure | null = null;
  private estimated = false;
  private refusals = 0;
  private readonly models = new Set<string>();
  private firstTokens = { samples: 0, sumMs: 0, maxMs: 0 };

  asked(model: string | null): void {
    if (model !== null && this.models.size < MOST_MODELS) this.models.add(model);
  }

  refused(): void {
    this.refusals += 1;
  }

  ended(end: ExchangeEnd, failure: Failure | null): void {
    this.last = end;
    if (end === 'completed') this.completed += 1;
    this.failure = failure ?? this.failure;
  }

  measured({ estimated, firstTokenMs }: { readonly estimated: boolean; readonly firstTokenMs: number | null }): void {
    this.estimated ||= estimated;
    if (firstTokenMs === null) return;
    const { samples, sumMs, maxMs } = this.firstTokens;
    this.firstTokens = { samples: samples + 1, sumMs: sumMs + firstTokenMs, maxMs: Math.max(maxMs, firstTokenMs) };
  }

  usage(spent: Spent, limit: GatewayUsage['limit'], recordFailure: Failure | null): GatewayUsage {
    const { samples, sumMs, maxMs } = this.firstTokens;
    return {
      calls: spent.calls,
      promptTokens: spent.tokens.prompt,
      completionTokens: spent.tokens.completion,
      cachedTokens: spent.tokens.cached,
      cacheWriteTokens: spent.tokens.cacheWrite,
      costUsd: spent.cost === null ? null : spent.cost / PICO_PER_USD,
      estimated: this.estimated,
      limit,
      completedExchanges: this.completed,
      lastExchange: this.last,
      lastFailure: this.failure,
      recordFailure,
      refused: this.refusals,
      firstToken: samples === 0 ? null : { samples, meanMs: sumMs / samples, maxMs },
      models: [...this.models],
    };
  }
}

/** A trial that asks for more names than this plays. */
const MOST_MODELS = 100;
