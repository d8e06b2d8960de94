import { WorkKey } from '@assay/contracts';
import { afterLeaseLost } from '@assay/lifecycle';
import type { Sql } from '../database';
import { followDecision } from './follow-decision';
import { lockWork } from './lock-work';
import { noteEvent } from './note-event';
import { postponeWork } from './open-work';
import type { Followed } from './record-result';
import type { WorkProtocol } from './work-protocol';
import { TRIES_TABLE } from './work-rows';

/** A lease whose holder was silent for longer than it lasts. */
export interface LapsedLease {
  readonly key: WorkKey;
  readonly epoch: number;
}

/** The lapsed leases that nobody expired yet, the oldest first. */
export async function lapsedLeases(sql: Sql, limit: number): Promise<LapsedLease[]> {
  const rows = await sql.query<{ kind: string; run_id: string; instance_id: string; sample: number; epoch: number }>(
    `select kind, run_id, instance_id, sample, epoch from work_items
     where state = 'OPEN' and lease_until <= now() order by lease_until limit $1`,
    [limit],
  );
  return rows.map(({ kind, run_id: runId, instance_id: instanceId, sample, epoch }) => ({
    key: WorkKey.parse({ kind, runId, instanceId, sample }),
    epoch,
  }));
}

/**
 * Marks the try of a lapsed lease LOST and decides what follows: it counts, if it ever started. The epoch stays, so the
 * try's own result may still close it until the next grant or a terminal state. Null when the lease lives after all.
 */
export async function expireLease(
  sql: Sql,
  { key, epoch }: LapsedLease,
  protocol: WorkProtocol,
): Promise<Followed | null> {
  const found = await lockWork(sql, key, { epoch });
  if (found === null || found.tried === null) return null;
  const { locked, tried } = found;
  if (!locked.open || !locked.leased || !locked.lapsed || locked.epoch !== epoch) return null;
  await sql.query(`update ${TRIES_TABLE[key.kind]} set state = 'LOST', finished_at = now() where id = $1`, [tried.id]);
  await noteEvent(sql, key, `${key.kind}.lost`, { epoch, worker: tried.worker, started: tried.started });
  if (key.kind === 'publication') {
    await postponeWork(sql, key, { delayMs: 0, expired: true }, locked.rootTraceparent, protocol);
    return { next: 'retry', finished: null };
  }
  const { manifest } = await protocol.manifests.of(sql, key.runId, locked.manifestDigest);
  const decision = afterLeaseLost({
    work: key.kind,
    tryNumber: tried.number,
    started: tried.started,
    retry: manifest.retry,
    worker: tried.worker,
  });
  return followDecision(sql, locked, decision, { expired: true }, protocol);
}
