import type { ResultReply } from '@assay/contracts';

/** What a stream handler decided. Only the strategy turns it into a JetStream verb. */
export type Verdict =
  /** The message is dealt with: ack, then send `answer` (if given) to whom the message's reply header names. */
  | { readonly verdict: 'done'; readonly answer: ResultReply | null }
  /** Deliver it again after `delayMs`. */
  | { readonly verdict: 'giveBack'; readonly delayMs: number }
  /** Somebody else has it: send no verb at all. */
  | { readonly verdict: 'lost' };

export function done(answer: ResultReply | null = null): Verdict {
  return { verdict: 'done', answer };
}

/** @param delayMs milliseconds until it is delivered again; 0 is at once */
export function giveBack(delayMs: number): Verdict {
  return { verdict: 'giveBack', delayMs };
}

export const lost: Verdict = { verdict: 'lost' };
