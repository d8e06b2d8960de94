import { NO_TOKENS, type Tokens } from '../metering/reading';
import { PICO_PER_USD, type PicoUsd } from '../pricing/price-list';

/** Bounds of a trial or a run; null: none. */
export interface BudgetLimits {
  readonly calls: number | null;
  /** Prompt and completion tokens together. */
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** Seconds since the account was opened. */
  readonly wallSeconds: number | null;
}

export const UNLIMITED: BudgetLimits = { calls: null, tokens: null, costUsd: null, wallSeconds: null };

/** Which bound was met. */
export type BudgetKind = 'calls' | 'tokens' | 'cost' | 'time';

/** What calls, tokens and money came to. `cost` is null as soon as one exchange had no price. */
export interface Spent {
  readonly calls: number;
  readonly tokens: Tokens;
  readonly cost: PicoUsd | null;
}

const NOTHING: Spent = { calls: 0, tokens: NO_TOKENS, cost: 0 };

/**
 * What a trial or a run may spend and has spent. A bound of N is met once N is spent: the call that reaches it is let
 * through to its end, the next one is not. Calls that run at the same time may carry tokens and cost beyond it.
 */
export class BudgetAccount {
  private calls: number;
  private tokens: Tokens;
  private cost: PicoUsd | null;

  /** @param openedAt milliseconds since the epoch; @param before what was spent elsewhere, e.g. before a restart */
  constructor(
    readonly limits: BudgetLimits,
    private readonly openedAt: number,
    before: Spent = NOTHING,
  ) {
    this.calls = before.calls;
    this.tokens = before.tokens;
    this.cost = before.cost;
  }

  /** The bound that stands against one more call; null when there is none. */
  reached(now: number): BudgetKind | null {
    const { calls, tokens, costUsd } = this.limits;
    if (this.endsAt() <= now) return 'time';
    if (calls !== null && this.calls >= calls) return 'calls';
    if (tokens !== null && this.tokens.prompt + this.tokens.completion >= tokens) return 'tokens';
    if (costUsd !== null && this.cost !== null && this.cost >= Math.round(costUsd * PICO_PER_USD)) return 'cost';
    return null;
  }

  /** When its time is over, milliseconds since the epoch; infinity when it has no bound. */
  endsAt(): number {
    return this.limits.wallSeconds === null ? Number.POSITIVE_INFINITY : this.openedAt + this.limits.wallSeconds * 1000;
  }

  call(): void {
    this.calls += 1;
  }

  /** Replaces what one exchange was taken to have cost so far by what it is known to cost now. */
  charge(from: Charge, to: Charge): void {
    const add = (field: keyof Tokens): number => this.tokens[field] + to.tokens[field] - from.tokens[field];
    this.tokens = {
      prompt: add('prompt'),
      completion: add('completion'),
      cached: add('cached'),
      cacheWrite: add('cacheWrite'),
    };
    this.cost = this.cost === null || from.cost === null || to.cost === null ? null : this.cost + to.cost - from.cost;
  }

  spent(): Spent {
    return { calls: this.calls, tokens: this.tokens, cost: this.cost };
  }
}

/** What one exchange is charged. */
export interface Charge {
  readonly tokens: Tokens;
  readonly cost: PicoUsd | null;
}

export const NO_CHARGE: Charge = { tokens: NO_TOKENS, cost: 0 };
