import { randomUUID } from 'node:crypto';
import { type BuildDigest, ClaimId, type ClaimReply, type Timings, type WorkerId } from '@assay/contracts';
import type { EventLog } from '../event-log';
import type { RpcClient } from '../rpc/rpc.client';
import { retryPauseMs } from '../timing/jitter.policy';
import { pause } from '../timing/pause';
import type { WakeUp } from './wake-up';

export interface ClaimOptions {
  readonly wakeUp: WakeUp;
  readonly worker: WorkerId;
  readonly buildDigest: BuildDigest;
  /** Whether no other slot of this worker holds work. */
  readonly idle: boolean;
  readonly rpc: RpcClient;
  readonly timings: Timings;
  readonly logger: EventLog;
  /** Aborted when the worker ends: an answer under way is still awaited, since it may be a grant. */
  readonly closing: AbortSignal;
}

export type Claimed =
  { readonly claimId: ClaimId; readonly reply: ClaimReply } | { readonly claimId: ClaimId; readonly reply: null };

/**
 * Asks for the work with a fresh claim id; without an answer it asks again with the same one, up to `claimRetryMs`.
 * `reply: null`: nobody answered, or the worker is about to end.
 */
export async function claim(options: ClaimOptions): Promise<Claimed> {
  const { wakeUp, worker, buildDigest, idle, rpc, timings, logger, closing } = options;
  const claimId = ClaimId.parse(randomUUID());
  const request = { claimId, key: wakeUp.key, worker, buildDigest, idle };
  const until = performance.now() + timings.claimRetryMs;
  for (let failures = 1; !closing.aborted; failures += 1) {
    const left = until - performance.now();
    if (left <= 0) break;
    try {
      const timeoutMs = Math.max(1, Math.min(timings.rpcTimeoutMs, left));
      return { claimId, reply: await rpc.call('claim', request, { timeoutMs, traceparent: wakeUp.traceparent }) };
    } catch (error) {
      logger.warn({ key: wakeUp.key, claimId, err: error }, 'Claim not answered; asking again');
    }
    await pause(Math.min(retryPauseMs(failures), timings.claimRetryMs / 10), closing);
  }
  return { claimId, reply: null };
}
