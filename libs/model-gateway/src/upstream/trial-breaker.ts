import type { CircuitBreaker, GatewayHealth } from './circuit-breaker';

/** One try's permission; exactly one of `worked`, `failed` and `abandoned` ends it. */
export interface BreakerPass {
  /** A success has begun: a probe has done what it was for, although its reply may be long. */
  flowing(): void;
  worked(): void;
  failed(reason: string, retryAfterMs: number | null): void;
  abandoned(): void;
}

export type TrialAdmission =
  { readonly go: true; readonly pass: BreakerPass } | { readonly go: false; readonly retryAt: number };

/** The gateway's circuit breaker as one trial sees it; tells when the health changes. */
export class TrialBreaker {
  constructor(
    private readonly breaker: CircuitBreaker,
    private readonly trial: string,
    private readonly around: {
      readonly now: () => number;
      readonly openTrials: () => number;
      readonly onChange: (health: GatewayHealth) => void;
    },
  ) {}

  admit(): TrialAdmission {
    const admission = this.breaker.admit(this.around.now());
    return admission.go ? { go: true, pass: this.pass(admission.probe) } : admission;
  }

  private pass(isProbe: boolean): BreakerPass {
    let probe = isProbe;
    return {
      flowing: () => {
        if (probe)
          this.changing(() => {
            this.breaker.succeeded();
          });
        probe = false;
      },
      worked: () => {
        this.changing(() => {
          this.breaker.succeeded();
        });
      },
      failed: (reason, retryAfterMs) => {
        const now = this.around.now();
        const openTrials = this.around.openTrials();
        this.changing(() => {
          this.breaker.failed({ now, trial: this.trial, openTrials, probe, reason, retryAfterMs });
        });
      },
      abandoned: () => {
        this.breaker.abandoned(probe);
      },
    };
  }

  private changing(change: () => void): void {
    const before = this.breaker.health(this.around.now());
    change();
    const after = this.breaker.health(this.around.now());
    if (before.state !== after.state) this.around.onChange(after);
  }
}
