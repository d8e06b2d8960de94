import type { BudgetAccount, BudgetLimits } from '../access/budget';
import type { GatewayUsage } from '../access/gateway-usage';
import type { ReachedBudget } from '../access/trial-session';
import type { GatewayClock } from '../clock/gateway-clock';
import type { PriceList } from '../pricing/price-list';
import type { CircuitPolicy, GatewayHealth } from '../upstream/circuit-breaker';
import type { RetryPolicy } from '../upstream/retry.policy';
import type { UpstreamPatience } from '../upstream/upstream.client';
import type { UpstreamAuth } from '../wire/headers';
import type { GatewayBounds } from './gateway-parts';

export interface GatewayOptions {
  readonly upstream: {
    /**
     * e.g. `https://host/v1`: `/chat/completions`, `/responses`, `/messages`, `/models` and Google's
     * `/models/{model}:generateContent` are put behind it (Google's own: `https://host/v1beta`).
     */
    readonly baseUrl: string;
    /** File with the provider's key; see readKeyFile for what is refused. */
    readonly keyFile: string;
    readonly auth?: UpstreamAuth;
  };
  readonly listen: {
    /** For sidecars, which mount its folder. Null: none. */
    readonly socketPath: string | null;
    /** For the process sandbox; 0: any free port. Null: none. */
    readonly loopbackPort: number | null;
  };
  /** Folder for bodies on their way; made when absent. */
  readonly spoolDir: string;
  /** Null: costs are not known. */
  readonly prices: PriceList | null;
  /** Whether a request may ask the provider to search the web or call servers. Absent: `refuse`. */
  readonly serverTools?: 'refuse' | 'allow';
  readonly bounds?: Partial<GatewayBounds>;
  readonly retries?: Partial<RetryPolicy>;
  readonly circuit?: Partial<CircuitPolicy>;
  readonly patience?: Partial<UpstreamPatience>;
  /** Told the key and every token, so that logs do not show them. */
  readonly registerSecret?: (secret: string) => void;
  /** Called when the circuit opens or closes. */
  readonly onHealthChange?: (health: GatewayHealth) => void;
  readonly clock?: GatewayClock;
  /** In [0, 1), for the jitter of waits. */
  readonly random?: () => number;
}

/** A trial that is to be let in. */
export interface TrialRequest {
  /** Names the attempt, e.g. `run/instance/attempt`. */
  readonly key: string;
  /** Absent: drawn. At least 32 characters, never used before. */
  readonly token?: string;
  readonly budgets: BudgetLimits;
  /** The account of the whole run, which its trials here share; the caller keeps it. */
  readonly run?: BudgetAccount | null;
  /** Where the exchanges are recorded (JSON lines, gzip); must not exist. Read it with readExchanges. */
  readonly recordFile: string;
  /** Called once, when a bound refused a call or the time ran out: the trial should be ended, graded and marked. */
  readonly onLimit?: (reached: ReachedBudget) => void;
}

export interface OpenTrial {
  /** What the sandbox gets in place of a key. */
  readonly token: string;
  /** As it stands now. */
  usage(): GatewayUsage;
  /** Revokes the token at once, cuts open replies, ends the record. Again: the same usage. */
  close(): Promise<GatewayUsage>;
}
