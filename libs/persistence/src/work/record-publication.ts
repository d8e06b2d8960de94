import { assertNever, type Failure, type ResultMessage, type Timings } from '@assay/contracts';
import type { Sql } from '../database';
import { closeTry } from './close-try';
import { closeWork, postponeWork } from './open-work';
import type { Followed, RecordContext } from './record-result';
import { supersede, hasNewerPublication, supersedeOlder } from './supersede';
import type { WorkProtocol } from './work-protocol';

type PublicationResult = Extract<ResultMessage, { kind: 'publication' }>;

const LONGEST_WAIT_MS = 600_000;

/**
 * A publication was written (read again one lease later), found whole (PUBLISHED), or failed: then it is tried again for
 * ever, with growing waits. Nothing of it changes the run's result.
 */
export async function recordPublication(
  sql: Sql,
  result: PublicationResult,
  { locked, tried }: RecordContext,
  protocol: WorkProtocol,
): Promise<Followed> {
  const { key, outcome } = result;
  await closeTry(sql, result, tried.id);
  const addTries = tried.started ? 0 : 1;
  switch (outcome.kind) {
    case 'written':
      await sql.query(
        `update publications set state = 'WRITTEN', block_digest = $2, asset_name = coalesce($3, asset_name),
           asset_url = coalesce($4, asset_url), previous_body = coalesce(previous_body, $5), last_error = null,
           tries = tries + 1, written_at = now()
         where run_id = $1`,
        [key.runId, outcome.blockDigest, outcome.assetName, outcome.assetUrl, outcome.previousBody],
      );
      await showState(sql, key.runId, 'WRITTEN');
      return turnedAway(sql, key, async () => {
        const delayMs = protocol.timings.publicationRereadMs;
        await postponeWork(sql, key, { delayMs, addTries }, locked.rootTraceparent, protocol);
        return { next: 'verify', finished: null };
      });
    case 'verified':
      await sql.query(`update publications set state = 'PUBLISHED', published_at = now() where run_id = $1`, [
        key.runId,
      ]);
      await showState(sql, key.runId, 'PUBLISHED');
      await closeWork(sql, key);
      await supersedeOlder(sql, key.runId, 'all');
      return { next: 'PUBLISHED', finished: null };
    case 'failed':
      await keepError(sql, key.runId, outcome.failure);
      return turnedAway(sql, key, async () => {
        const delayMs = waitMs(tried.number, protocol.timings);
        await postponeWork(sql, key, { delayMs, addTries }, locked.rootTraceparent, protocol);
        return { next: 'retry', finished: null };
      });
    default:
      return assertNever(outcome);
  }

  /** A newer run of the same release and suite took its place meanwhile; else `otherwise`. */
  async function turnedAway(
    on: Sql,
    { runId }: PublicationResult['key'],
    otherwise: () => Promise<Followed>,
  ): Promise<Followed> {
    if (!(await hasNewerPublication(on, runId))) return otherwise();
    await closeWork(on, key);
    await supersede(on, [runId]);
    return { next: 'SUPERSEDED', finished: null };
  }
}

async function showState(sql: Sql, runId: string, state: 'WRITTEN' | 'PUBLISHED'): Promise<void> {
  await sql.query('update runs set publication_state = $2, last_error = null where id = $1', [runId, state]);
  await sql.query('insert into events (run_id, type) values ($1, $2)', [runId, `publication.${state.toLowerCase()}`]);
}

/** What could not be read back is written again: a write that finds its block whole changes nothing. */
async function keepError(sql: Sql, runId: string, failure: Failure): Promise<void> {
  const text = `${failure.message} (${failure.code})`;
  await sql.query(
    `with p as (update publications set state = 'PENDING', last_error = $2, tries = tries + 1 where run_id = $1)
     update runs set publication_state = 'PENDING', last_error = $2 where id = $1`,
    [runId, text],
  );
}

/** Doubles from a sweep interval to ten minutes. */
function waitMs(tryNumber: number, { sweepMs }: Timings): number {
  return Math.min(LONGEST_WAIT_MS, sweepMs * 2 ** Math.min(20, Math.max(0, tryNumber - 1)));
}
