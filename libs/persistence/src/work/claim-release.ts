import type { ClaimReply, RunId } from '@assay/contracts';
import type { Sql } from '../database';
import { hasNewerPublication, supersede } from './supersede';

/**
 * Whether a publication may have its release now: null when it may; `held` while any publication of the same repository
 * and release is leased; `done` when a newer run of the release and suite took its place. Holds a lock on the release
 * until the transaction ends, so that two claims cannot both find it free.
 */
export async function mayUseRelease(sql: Sql, runId: RunId): Promise<ClaimReply | null> {
  await sql.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' ' || repository || ' ' || release_id, 0))
     from publications where run_id = $1`,
    [runId],
  );
  if (await hasNewerPublication(sql, runId)) {
    await supersede(sql, [runId]);
    return { answer: 'done' };
  }
  const [other] = await sql.query<{ left_ms: number | null }>(
    `select ceil(extract(epoch from max(w.lease_until) - now()) * 1000 * (1 + random() / 10))::int as left_ms
     from publications mine
     join publications p on p.repository = mine.repository and p.release_id = mine.release_id and p.run_id <> mine.run_id
     join work_items w on w.kind = 'publication' and w.run_id = p.run_id and w.state = 'OPEN'
     where mine.run_id = $1 and w.lease_until is not null`,
    [runId],
  );
  if (other === undefined || other.left_ms === null) return null;
  return { answer: 'held', retryInMs: Math.max(1_000, other.left_ms) };
}
