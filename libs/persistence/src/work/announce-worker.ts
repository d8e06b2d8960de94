import type { AnnounceRequest } from '@assay/contracts';
import type { Sql } from '../database';

/** Notes that a worker lives, and its slots: the relay sizes its window by them. Resolves true when it is new. */
export async function announceWorker(
  sql: Sql,
  { worker, kind, slots, buildDigest }: AnnounceRequest,
): Promise<boolean> {
  const [row] = await sql.query<{ fresh: boolean }>(
    `insert into workers (id, kind, slots, build_digest) values ($1, $2, $3, $4)
     on conflict (id) do update set kind = excluded.kind, slots = excluded.slots,
       build_digest = excluded.build_digest, last_seen_at = now()
     returning first_seen_at = last_seen_at as fresh`,
    [worker, kind, slots, buildDigest],
  );
  return row?.fresh ?? false;
}
