import type { ReplyError } from './error-in';

/** Tokens of one or more exchanges. `prompt` includes `cached` and `cacheWrite`, whatever the provider's own counting. */
export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
  /** Prompt tokens that the provider read from its cache. */
  readonly cached: number;
  /** Prompt tokens that were written to the provider's cache (Anthropic bills them apart). */
  readonly cacheWrite: number;
}

export const NO_TOKENS: Tokens = { prompt: 0, completion: 0, cached: 0, cacheWrite: 0 };

/** What has been read from a reply so far. Counts are null as long as the provider has not told them. */
export interface Reading {
  model: string | null;
  prompt: number | null;
  completion: number | null;
  cached: number;
  cacheWrite: number;
  /** Characters that the model generated, as far as they were seen: the ground of an estimate. */
  generated: number;
  /** Whether the reply told that the model is done. */
  finished: boolean;
  /** Whether the protocol's very last word was seen, after which a client does not wait for the connection's end. */
  lastWord: boolean;
  /** What the provider said went wrong, inside a reply of status 200. */
  error: ReplyError | null;
}

export function emptyReading(): Reading {
  return {
    model: null,
    prompt: null,
    completion: null,
    cached: 0,
    cacheWrite: 0,
    generated: 0,
    finished: false,
    lastWord: false,
    error: null,
  };
}

/** Characters (and bytes of JSON) of a token, roughly: only where the provider told no usage, and marked as an estimate. */
const PER_TOKEN = 4;

/**
 * The tokens of an exchange: what the provider told, and an estimate for what it did not.
 * @param requestBytes size of the request's body
 */
export function tokensOf(reading: Reading, requestBytes: number): { tokens: Tokens; estimated: boolean } {
  const estimated = reading.prompt === null || reading.completion === null;
  const prompt = reading.prompt ?? Math.ceil(requestBytes / PER_TOKEN);
  const completion = reading.completion ?? Math.ceil(reading.generated / PER_TOKEN);
  return { tokens: { prompt, completion, cached: reading.cached, cacheWrite: reading.cacheWrite }, estimated };
}
