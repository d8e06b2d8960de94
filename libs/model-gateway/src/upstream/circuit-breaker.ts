/** When the circuit opens and for how long. */
export interface CircuitPolicy {
  /** Failed tries in a row, over all trials. */
  readonly failures: number;
  /** First time open; it doubles with each probe that fails. Milliseconds. */
  readonly openMs: number;
  readonly longestOpenMs: number;
}

export const DEFAULT_CIRCUIT: CircuitPolicy = { failures: 8, openMs: 30_000, longestOpenMs: 600_000 };

/**
 * Whether the provider can be worked with. `open`: claim nothing before `until`; `half_open`: the time is over and the
 * next request is a probe, so claim at most one trial; `closed`: as usual.
 */
export type GatewayHealth =
  | { readonly state: 'closed' }
  | { readonly state: 'open'; readonly reason: string; readonly until: Date }
  | { readonly state: 'half_open'; readonly reason: string };

/** Whether a try may be made now, and whether the whole circuit hangs on it. */
export type Admission =
  { readonly go: true; readonly probe: boolean } | { readonly go: false; readonly retryAt: number };

type Circuit =
  | { readonly state: 'closed'; readonly failures: number; readonly trials: ReadonlySet<string> }
  | {
      readonly state: 'open';
      readonly reason: string;
      readonly until: number;
      readonly openMs: number;
      readonly probing: boolean;
    };

const CLOSED: Circuit = { state: 'closed', failures: 0, trials: new Set() };

/** While a probe is out, the others look again after this. Milliseconds. */
const PROBE_LOOK_MS = 1_000;

/**
 * Counts failed tries in a row, whichever trial they belong to, and stops them when the provider seems to be down. One
 * trial alone opens it only if it is the only one there is: a prompt that makes a provider fail is no outage.
 */
export class CircuitBreaker {
  private circuit: Circuit = CLOSED;

  constructor(private readonly policy: CircuitPolicy) {}

  admit(now: number): Admission {
    const { circuit } = this;
    if (circuit.state === 'closed') return { go: true, probe: false };
    if (now < circuit.until) return { go: false, retryAt: circuit.until };
    if (circuit.probing) return { go: false, retryAt: now + PROBE_LOOK_MS };
    this.circuit = { ...circuit, probing: true };
    return { go: true, probe: true };
  }

  succeeded(): void {
    this.circuit = CLOSED;
  }

  /** A try that neither worked nor failed, because its client went away: another one may probe. */
  abandoned(probe: boolean): void {
    if (probe && this.circuit.state === 'open') this.circuit = { ...this.circuit, probing: false };
  }

  failed(failure: {
    readonly now: number;
    readonly trial: string;
    readonly openTrials: number;
    readonly probe: boolean;
    readonly reason: string;
    readonly retryAfterMs: number | null;
  }): void {
    const { circuit } = this;
    if (circuit.state === 'open') {
      if (failure.probe) this.opens(Math.min(this.policy.longestOpenMs, circuit.openMs * 2), failure);
      return;
    }
    const failures = circuit.failures + 1;
    const trials = new Set([...circuit.trials, failure.trial]);
    const wide = trials.size > 1 || failure.openTrials <= 1;
    if (failures >= this.policy.failures && wide) this.opens(this.policy.openMs, failure);
    else this.circuit = { state: 'closed', failures, trials };
  }

  health(now: number): GatewayHealth {
    const { circuit } = this;
    if (circuit.state === 'closed') return { state: 'closed' };
    const { reason, until } = circuit;
    return now < until ? { state: 'open', reason, until: new Date(until) } : { state: 'half_open', reason };
  }

  private opens(
    openMs: number,
    { now, reason, retryAfterMs }: { now: number; reason: string; retryAfterMs: number | null },
  ): void {
    const asked = Math.min(this.policy.longestOpenMs, retryAfterMs ?? 0);
    this.circuit = { state: 'open', reason, until: now + Math.max(openMs, asked), openMs, probing: false };
  }
}
