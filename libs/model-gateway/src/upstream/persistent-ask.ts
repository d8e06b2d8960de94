import type { IncomingHttpHeaders } from 'node:http';
import { pause, type GatewayClock } from '../clock/gateway-clock';
import type { RecordedTry } from '../record/exchange-line.schema';
import type { BreakerPass, TrialBreaker } from './trial-breaker';
import { nextWaitMs, retryAfterMs, type RetryPolicy } from './retry.policy';
import { judged, retryDelayMs } from './status.policy';
import { UpstreamBroken, type UpstreamAnswer } from './upstream.client';

/** What the provider said in the end. */
export type Asked =
  /** 2xx, and its first piece is here (null: it was empty). The pass is to be settled by who reads the rest. */
  | {
      readonly kind: 'flowing';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly first: Buffer | null;
      readonly answer: UpstreamAnswer;
      readonly pass: BreakerPass;
    }
  /** Any other answer, whole as far as it is short. `reason` null: the client's own mistake. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
      readonly reason: string | null;
      readonly configuration: boolean;
    }
  /** No answer. `retryAfterMs`: when it may be worth another request. */
  | { readonly kind: 'silent'; readonly reason: string; readonly retryAfterMs: number | null };

export interface AskParts {
  readonly send: () => Promise<UpstreamAnswer>;
  readonly breaker: TrialBreaker;
  readonly policy: RetryPolicy;
  readonly clock: GatewayClock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly tries: RecordedTry[];
}

type Tried = { readonly asked: Asked; readonly again: boolean; readonly retryAfterMs: number | null };

const TAKEN_DOWN = 'the provider is taken to be down';

/** Once for each stretch of waiting, however often it is looked at. */
function noteDown(tries: RecordedTry[], atMs: number): void {
  if (tries.at(-1)?.reason !== TAKEN_DOWN) tries.push({ status: null, reason: TAKEN_DOWN, atMs });
}

/** Bytes of an answer that is no success; the rest is cut off. */
const LONGEST_REFUSAL = 1024 * 1024;

/**
 * Asks until there is an answer to pass on: tries again after 429, 5xx, and whatever breaks before the first byte of a
 * success, as the policy allows; the client has seen nothing of those. Throws the signal's reason when it is aborted.
 */
export async function askPersistently(parts: AskParts): Promise<Asked> {
  const { clock, policy, breaker } = parts;
  const begin = clock.now();
  for (let count = 0; ;) {
    const admission = breaker.admit();
    if (!admission.go) {
      noteDown(parts.tries, clock.now() - begin);
      const wait = admission.retryAt - clock.now() + parts.random() * policy.firstWaitMs;
      const elapsed = clock.now() - begin;
      if (elapsed + wait > policy.totalMs) return { kind: 'silent', reason: TAKEN_DOWN, retryAfterMs: wait };
      await pause(clock, wait, parts.signal);
      continue;
    }
    count += 1;
    const { asked, again, retryAfterMs: asksFor } = await tryOnce(parts, admission.pass, clock.now() - begin);
    if (!again) return asked;
    const failed = { tries: count, elapsedMs: clock.now() - begin, retryAfterMs: asksFor };
    const wait = nextWaitMs(policy, failed, parts.random());
    if (wait === null) return asked;
    await pause(clock, wait, parts.signal);
  }
}

async function tryOnce(parts: AskParts, pass: BreakerPass, atMs: number): Promise<Tried> {
  const note = (status: number | null, reason: string | null): void => {
    parts.tries.push({ status, reason, atMs });
  };
  try {
    const answer = await parts.send();
    const verdict = judged(answer.status);
    if (verdict.kind === 'success') {
      const first = await answer.body.next();
      note(answer.status, null);
      pass.flowing();
      const piece = first.done === true ? null : first.value;
      const { status, headers } = answer;
      return {
        asked: { kind: 'flowing', status, headers, first: piece, answer, pass },
        again: false,
        retryAfterMs: null,
      };
    }
    return await refused(parts, pass, answer, note);
  } catch (error) {
    if (parts.signal.aborted) {
      pass.abandoned();
      throw error;
    }
    const reason = error instanceof UpstreamBroken ? error.message : 'the gateway failed while it asked the provider';
    note(null, reason);
    pass.failed(reason, null);
    if (!(error instanceof UpstreamBroken)) throw error;
    return { asked: { kind: 'silent', reason, retryAfterMs: null }, again: true, retryAfterMs: null };
  }
}

async function refused(
  { clock }: AskParts,
  pass: BreakerPass,
  answer: UpstreamAnswer,
  note: (status: number, reason: string | null) => void,
): Promise<Tried> {
  const { status, headers } = answer;
  const body = await beginningOf(answer);
  const verdict = judged(status, body);
  const asksFor = retryAfterMs(headers['retry-after'], clock.now()) ?? retryDelayMs(body);
  if (verdict.kind === 'client_error') pass.worked();
  const reason = verdict.kind === 'upstream_failure' ? verdict.reason : null;
  note(status, reason);
  if (reason !== null) pass.failed(reason, asksFor);
  const configuration = verdict.kind === 'upstream_failure' && verdict.configuration;
  const again = verdict.kind === 'upstream_failure' && verdict.again;
  return { asked: { kind: 'refused', status, headers, body, reason, configuration }, again, retryAfterMs: asksFor };
}

async function beginningOf(answer: UpstreamAnswer): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const next = await answer.body.next();
    if (next.done === true) return Buffer.concat(parts);
    const piece = next.value;
    parts.push(piece.subarray(0, LONGEST_REFUSAL - length));
    length += piece.length;
    if (length >= LONGEST_REFUSAL) {
      answer.abandon();
      return Buffer.concat(parts);
    }
  }
}
