import { assertNever, type Failure, type ResultMessage, type Timings } from '@assay/contracts';
import { settleChain } from '../chain/settle-chain';
import type { Sql } from '../database';
import { closeTry } from './close-try';
import { closeWork, postponeWork } from './open-work';
import { stepPublication } from './publication-state';
import type { Followed, RecordContext } from './record-result';
import { reinstateOlder } from './reinstate';
import { hasNewerPublication, supersede, supersedeOlder } from './supersede';
import type { WorkProtocol } from './work-protocol';

type PublicationResult = Extract<ResultMessage, { kind: 'publication' }>;

const LONGEST_WAIT_MS = 600_000;

/**
 * A publication was written (read again one lease later), found whole (PUBLISHED), may not be written (REFUSED), was only
 * shown (DRY_RUN), or failed: then it is tried again for ever, with growing waits. Nothing of it changes the run's result.
 */
export async function recordPublication(
  sql: Sql,
  result: PublicationResult,
  { locked, tried }: RecordContext,
  protocol: WorkProtocol,
): Promise<Followed> {
  const { key, outcome } = result;
  const { runId } = key;
  await closeTry(sql, result, tried.id);
  await sql.query('update publications set tries = tries + 1 where run_id = $1', [runId]);
  const again = (delayMs: number): Promise<void> =>
    postponeWork(sql, key, { delayMs, addTries: tried.started ? 0 : 1 }, locked.rootTraceparent, protocol);
  switch (outcome.kind) {
    case 'written':
      await stepPublication(sql, runId, { type: 'written' }, { change: { block_digest: outcome.blockDigest } });
      await sql.query(
        `update publications set assets = $2, previous_body = coalesce(previous_body, $3), written_at = now()
         where run_id = $1`,
        [runId, JSON.stringify(outcome.assets), outcome.previousBody],
      );
      if (await gaveWay(sql, result)) return { next: 'SUPERSEDED', finished: null };
      await again(protocol.timings.publicationRereadMs);
      return { next: 'verify', finished: null };
    case 'verified':
      await stepPublication(sql, runId, { type: 'verified' });
      await sql.query('update publications set published_at = now() where run_id = $1', [runId]);
      await closeWork(sql, key);
      await supersedeOlder(sql, runId, 'all');
      await settleChain(sql, runId);
      return { next: 'PUBLISHED', finished: null };
    case 'refused':
      await stepPublication(sql, runId, { type: 'refused' }, { change: { reason: outcome.reason } });
      return ended('REFUSED');
    case 'dry_run': {
      const change = { reason: outcome.reason, difference: JSON.stringify(outcome.difference) };
      await stepPublication(sql, runId, { type: 'shown' }, { change });
      return ended('DRY_RUN');
    }
    case 'failed':
      await stepPublication(sql, runId, { type: 'failed' }, { lastError: said(outcome.failure) });
      if (await gaveWay(sql, result)) return { next: 'SUPERSEDED', finished: null };
      await again(waitMs(tried.number, protocol.timings));
      return { next: 'retry', finished: null };
    default:
      return assertNever(outcome);
  }

  /** Nothing was written and nothing will be: whoever gave way to this run is the newest again. */
  async function ended(next: 'REFUSED' | 'DRY_RUN'): Promise<Followed> {
    await closeWork(sql, key);
    await settleChain(sql, runId);
    await reinstateOlder(sql, runId, protocol);
    return { next, finished: null };
  }
}

/** True when a newer run of the same release and suite took its place meanwhile. */
async function gaveWay(sql: Sql, { key }: PublicationResult): Promise<boolean> {
  if (!(await hasNewerPublication(sql, key.runId))) return false;
  await closeWork(sql, key);
  await supersede(sql, [key.runId]);
  return true;
}

function said({ message, code }: Failure): string {
  return `${message} (${code})`;
}

/** Doubles from a sweep interval to ten minutes. */
function waitMs(tryNumber: number, { sweepMs }: Timings): number {
  return Math.min(LONGEST_WAIT_MS, sweepMs * 2 ** Math.min(20, Math.max(0, tryNumber - 1)));
}
