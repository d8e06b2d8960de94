import { NO_CHARGE, type Charge } from '../access/budget';
import type { TrialSession } from '../access/trial-session';
import { tokensOf, type Reading } from '../metering/reading';
import type { PriceList } from '../pricing/price-list';

/** What one exchange costs: charged as soon as the provider tells, and for good when it has ended. */
export class ExchangeBill {
  private charged: Charge = NO_CHARGE;
  private wasEstimated = false;

  constructor(
    private readonly session: TrialSession,
    private readonly prices: PriceList | null,
    private readonly request: { readonly model: string | null; readonly bytes: number },
  ) {}

  /** Before the piece that told it goes on: whoever has the end of a reply may ask again at once. */
  told(reading: Readonly<Reading>): void {
    if (reading.prompt !== null && reading.completion !== null) this.charge(reading);
  }

  /** The reply is over, whole or not: what was not told is estimated, since it was generated and is paid for. */
  settle(reading: Readonly<Reading>): void {
    this.charge(reading);
  }

  get result(): Charge & { readonly estimated: boolean } {
    return { ...this.charged, estimated: this.wasEstimated };
  }

  private charge(reading: Readonly<Reading>): void {
    const { tokens, estimated } = tokensOf(reading, this.request.bytes);
    const cost = this.costOf(reading.model, tokens);
    const to = { tokens, cost };
    this.session.charge(this.charged, to);
    this.charged = to;
    this.wasEstimated = estimated;
  }

  /** By the name that was asked for, else by the one that answered. */
  private costOf(answered: string | null, tokens: Charge['tokens']): Charge['cost'] {
    const names = [this.request.model, answered].filter((name) => name !== null);
    for (const name of names) {
      const cost = this.prices?.costOf(name, tokens) ?? null;
      if (cost !== null) return cost;
    }
    return null;
  }
}
