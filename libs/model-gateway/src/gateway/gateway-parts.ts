import type { GatewayClock } from '../clock/gateway-clock';
import type { PriceList } from '../pricing/price-list';
import type { Redactor } from '../record/redactor';
import type { CircuitBreaker, GatewayHealth } from '../upstream/circuit-breaker';
import { TrialBreaker } from '../upstream/trial-breaker';
import type { ModelKey } from '../upstream/model-key';
import type { RetryPolicy } from '../upstream/retry.policy';
import type { UpstreamClient } from '../upstream/upstream.client';
import type { UpstreamAuth } from '../wire/headers';

/** Bounds on what a trial can make the gateway hold. */
export interface GatewayBounds {
  /** Bytes of a request's body. */
  readonly requestBytes: number;
  /** Exchanges of one trial at the same time; more wait. */
  readonly atOnce: number;
  /** Bytes of one reply that are recorded; the client gets all of it. */
  readonly replyBytes: number;
  /** Bytes of a record's file, after which bodies are left out. */
  readonly recordBytes: number;
}

export const DEFAULT_BOUNDS: GatewayBounds = {
  requestBytes: 64 * 1024 * 1024,
  atOnce: 32,
  replyBytes: 64 * 1024 * 1024,
  recordBytes: 1024 * 1024 * 1024,
};

/** What all exchanges of a gateway share. */
export interface GatewayParts {
  readonly key: ModelKey;
  readonly auth: UpstreamAuth;
  readonly upstream: UpstreamClient;
  readonly breaker: CircuitBreaker;
  readonly prices: PriceList | null;
  /** Takes the key out of what the provider says when it refuses. */
  readonly keyRedactor: Redactor;
  readonly spoolDir: string;
  readonly bounds: GatewayBounds;
  readonly retries: RetryPolicy;
  readonly serverTools: 'refuse' | 'allow';
  readonly clock: GatewayClock;
  readonly random: () => number;
  readonly openTrials: () => number;
  readonly onHealthChange: (health: GatewayHealth) => void;
}

/** The circuit breaker as the trial of this key sees it. */
export function breakerOf({ breaker, clock, openTrials, onHealthChange }: GatewayParts, key: string): TrialBreaker {
  return new TrialBreaker(breaker, key, { now: () => clock.now(), openTrials, onChange: onHealthChange });
}
