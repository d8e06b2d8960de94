import { createHash } from 'node:crypto';
import { classify } from '@assay/failures';
import type { GatewayClock } from '../clock/gateway-clock';
import type { ExchangeRecorder } from '../record/exchange-recorder';
import { limitReached, TOO_MANY_AT_ONCE, type Refusal } from '../wire/refusal';
import type { BudgetAccount, BudgetKind, Charge } from './budget';
import { Turns } from './turns';
import { UsageNotes, type GatewayUsage } from './gateway-usage';

/** A bound that a trial met. `tokens` and `cost` may have been overstepped by calls that ran at the same time. */
export interface ReachedBudget {
  readonly kind: BudgetKind;
  readonly of: 'trial' | 'run';
}

export interface SessionParts {
  readonly key: string;
  /** As tokenHash makes it. */
  readonly tokenHash: Buffer;
  readonly account: BudgetAccount;
  /** The account of the whole run; null: it has no bounds here. */
  readonly run: BudgetAccount | null;
  readonly recorder: ExchangeRecorder;
  readonly clock: GatewayClock;
  /** Exchanges at the same time; more wait. */
  readonly atOnce: number;
  /** Called once, when a bound is met. */
  readonly onLimit: (reached: ReachedBudget) => void;
}

/** Requests of one trial that wait for their turn. A forwarder has 256 connections. */
const MOST_WAITING = 1000;

/** One trial's way to the model, from its opening to the end of its lease. */
export class TrialSession {
  readonly notes = new UsageNotes();
  private readonly turns: Turns;
  private readonly open = new Map<AbortController, Promise<void>>();
  private readonly cancelTimer: () => void;
  private limit: ReachedBudget | null = null;
  private lastId = 0;
  private closed: Promise<GatewayUsage> | null = null;

  constructor(private readonly parts: SessionParts) {
    this.turns = new Turns(parts.atOnce);
    this.cancelTimer = this.watchTime();
  }

  get key(): string {
    return this.parts.key;
  }

  get tokenHash(): Buffer {
    return this.parts.tokenHash;
  }

  get recorder(): ExchangeRecorder {
    return this.parts.recorder;
  }

  /** Whether money has a bound, so that a model without a price cannot be paid for. */
  get countsMoney(): boolean {
    return [this.parts.account, this.parts.run].some((account) => (account?.limits.costUsd ?? null) !== null);
  }

  /**
   * Runs an exchange when it is its turn; the end of the session aborts it. Answers why not, where too many wait already.
   * An exchange holds its turn until it is recorded, so that an agent is never faster than its record.
   */
  async run(controller: AbortController, exchange: () => Promise<void>): Promise<Refusal | null> {
    if (this.turns.queue >= MOST_WAITING) return TOO_MANY_AT_ONCE;
    const ended = this.turns.take(controller.signal, exchange).finally(() => this.open.delete(controller));
    this.open.set(controller, ended);
    await ended;
    return null;
  }

  /** Lets one more call through and counts it, or answers why not. Number of the call: `id`. */
  admit(): { readonly id: number } | Refusal {
    const now = this.parts.clock.now();
    const reached = this.limit ?? this.reachedNow(now);
    if (reached !== null) {
      this.meets(reached);
      return limitReached(reached.kind, reached.of);
    }
    this.parts.account.call();
    this.parts.run?.call();
    return { id: this.nextId() };
  }

  nextId(): number {
    return (this.lastId += 1);
  }

  charge(from: Charge, to: Charge): void {
    this.parts.account.charge(from, to);
    this.parts.run?.charge(from, to);
  }

  refused(refusal: Refusal, path: string): void {
    this.notes.refused();
    const { status, code } = refusal;
    const at = new Date(this.parts.clock.now()).toISOString();
    this.recorder.refused({ type: 'refused', at, path: path.slice(0, 200), status, code });
  }

  usage(): GatewayUsage {
    const { failure } = this.recorder;
    const recordFailure = failure === null ? null : classify(failure, 'agent');
    return this.notes.usage(this.parts.account.spent(), this.limit, recordFailure);
  }

  /** Cuts what is open, waits until it is written down, and closes the record. */
  close(): Promise<GatewayUsage> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<GatewayUsage> {
    this.cancelTimer();
    for (const controller of this.open.keys()) controller.abort(new Error('the trial has ended'));
    await Promise.allSettled(this.open.values());
    await this.recorder.close(new Date(this.parts.clock.now()));
    return this.usage();
  }

  private reachedNow(now: number): ReachedBudget | null {
    const own = this.parts.account.reached(now);
    if (own !== null) return { kind: own, of: 'trial' };
    const shared = this.parts.run?.reached(now) ?? null;
    return shared === null ? null : { kind: shared, of: 'run' };
  }

  private meets(reached: ReachedBudget): void {
    if (this.limit !== null) return;
    this.limit = reached;
    this.parts.onLimit(reached);
  }

  /** Time runs out without a further call too: an agent may wait for a reply that does not end. */
  private watchTime(): () => void {
    const { account, run, clock } = this.parts;
    let cancel = (): void => undefined;
    const look = (): void => {
      const now = clock.now();
      const endsAt = Math.min(account.endsAt(), run?.endsAt() ?? Number.POSITIVE_INFINITY);
      if (endsAt === Number.POSITIVE_INFINITY) return;
      if (endsAt > now) cancel = clock.after(endsAt - now, look);
      else this.meets({ kind: 'time', of: account.endsAt() <= now ? 'trial' : 'run' });
    };
    look();
    return () => {
      cancel();
    };
  }
}

/** Tokens are compared by their hashes: of equal length, whatever was shown. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
