import type { ClaimReply, ClaimRequest, Timings } from '@assay/contracts';
import type { Database, Sql } from '../database';
import { mayUseRelease } from './claim-release';
import type { FrozenManifests } from './frozen-manifests';
import { grant } from './grant';
import { lookAtWork, type SeenWork } from './look-at-work';
import { specOf } from './work-spec';

/**
 * What a claim comes to. `lapsed`: the holder's lease is over but was not expired yet; the caller expires it first (if
 * it may: see the quiet period), then claims again.
 */
export type ClaimOutcome = ClaimReply | { readonly answer: 'lapsed'; readonly epoch: number };

export interface ClaimOptions {
  readonly manifests: FrozenManifests;
  readonly timings: Pick<Timings, 'leaseMs' | 'refusedDelayMs' | 'sweepMs'>;
  /** False in the quiet period: a lapsed lease still counts as held then. */
  readonly mayExpire: boolean;
}

/**
 * Answers a claim. A grant is one transaction: it raises the epoch, opens the attempt's row and sets the run RUNNING, if
 * the work still is as it was looked at without a lock. Every other answer changes nothing.
 */
export async function claim(database: Database, request: ClaimRequest, options: ClaimOptions): Promise<ClaimOutcome> {
  const seen = await lookAtWork(database, request);
  if (seen === null) return { answer: 'done' };
  const settled =
    (await repeatedClaim(database, request, seen, options)) ?? (await refusalOf(database, request, seen, options));
  if (settled !== null) return settled;
  // Somebody was faster between the look and the grant: the next delivery sees what came of it.
  const tooLate = { answer: 'held', retryInMs: options.timings.sweepMs } as const;
  if (request.key.kind !== 'publication' && !seen.runQueued) {
    return (await grant(database, request, seen, options)) ?? tooLate;
  }
  return database.transaction(async (sql) => {
    const taken = request.key.kind === 'publication' ? await mayUseRelease(sql, request.key.runId) : null;
    return taken ?? (await grant(sql, request, seen, options)) ?? tooLate;
  });
}

/** The answer to a claimId that was granted before: the same grant while its epoch is current, else `lost`. */
async function repeatedClaim(
  sql: Sql,
  request: ClaimRequest,
  seen: SeenWork,
  { manifests, timings }: ClaimOptions,
): Promise<ClaimReply | null> {
  if (!seen.grantedBefore) return null;
  const current =
    seen.open && !seen.expired && seen.leaseUntil !== null && seen.claimId === request.claimId ? seen.holder : null;
  if (current === null || seen.leaseUntil === null) return { answer: 'lost' };
  return {
    answer: 'granted',
    epoch: seen.epoch,
    attempt: current.attempt,
    attemptId: current.attemptId,
    spec: await specOf(sql, request.key, seen, manifests),
    deadline: seen.leaseUntil.toISOString(),
    leaseMs: timings.leaseMs,
    traceparent: current.traceparent,
  };
}

/** Why the work may not be granted now, or null when it may. */
async function refusalOf(
  sql: Sql,
  request: ClaimRequest,
  seen: SeenWork,
  { manifests, timings, mayExpire }: ClaimOptions,
): Promise<ClaimOutcome | null> {
  const { sweepMs, refusedDelayMs: retryInMs } = timings;
  if (!seen.open) return { answer: 'done' };
  // The sweep cancels it.
  if (seen.spent && request.key.kind === 'trial' && seen.leaseUntil === null) return { answer: 'waiting' };
  if (seen.paused) return { answer: 'refused', reason: 'the run is paused', retryInMs };
  if (seen.leaseUntil !== null) {
    if (!seen.lapsed) return { answer: 'held', retryInMs: seen.leaseLeftMs };
    return mayExpire ? { answer: 'lapsed', epoch: seen.epoch } : { answer: 'held', retryInMs: sweepMs };
  }
  if (seen.early) return { answer: 'waiting' };
  if (seen.wantsIdle && !request.idle) {
    return { answer: 'refused', reason: 'tests that timed out are graded again on an idle worker only', retryInMs };
  }
  // A publication measures nothing: any build may write it.
  if (request.key.kind === 'publication') return null;
  const { manifest } = await manifests.of(sql, request.key.runId, seen.manifestDigest);
  if (manifest.buildDigest !== null && manifest.buildDigest !== request.buildDigest) {
    return { answer: 'refused', reason: `the run is frozen to build ${manifest.buildDigest}`, retryInMs };
  }
  return null;
}
