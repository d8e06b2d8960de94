/** What an answer's status means, and whose fault it is. */
export type Verdict =
  | { readonly kind: 'success' }
  /** The request itself was refused: the agent's own, e.g. a conversation that grew too long. */
  | { readonly kind: 'client_error' }
  /** The provider's or our configuration's fault. `again`: it may work in a while. */
  | {
      readonly kind: 'upstream_failure';
      readonly reason: string;
      readonly again: boolean;
      readonly configuration: boolean;
    };

/** Said with a 429 by OpenAI and those like it when there is no money left: waiting does not help. */
const NO_MONEY = /insufficient_quota|billing_hard_limit|exceeded your current quota/i;
/** Google uses the same words for a rate, and tells when it will be better (google.rpc.RetryInfo). */
const WILL_PASS = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;
/** Bytes of an answer that are looked at. */
const LOOKED_AT = 64 * 1024;

/** Milliseconds that an answer's body asks to wait (google.rpc.RetryInfo); null: it does not ask. */
export function retryDelayMs(body: Buffer): number | null {
  const seconds = WILL_PASS.exec(body.subarray(0, LOOKED_AT).toString('utf8'))?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

/** @param body the beginning of the answer; it is looked at for 429 only */
export function judged(status: number, body: Buffer = Buffer.alloc(0)): Verdict {
  if (status >= 200 && status < 300) return { kind: 'success' };
  const failure = (reason: string, again: boolean, configuration: boolean): Verdict => ({
    kind: 'upstream_failure',
    reason: `the provider answered ${status}: ${reason}`,
    again,
    configuration,
  });
  if (status === 401 || status === 403) return failure('it refuses our key', false, true);
  if (status === 402) return failure('our account has no money', false, true);
  if (status === 429 && retryDelayMs(body) === null && NO_MONEY.test(body.subarray(0, LOOKED_AT).toString('utf8'))) {
    return failure('our account has no money', false, true);
  }
  if (status === 429) return failure('too many requests', true, false);
  if (status === 408) return failure('it waited too long', true, false);
  if (status >= 500) return failure('it failed', true, false);
  if (status < 400) return failure('it wants to redirect us', false, true);
  return { kind: 'client_error' };
}
