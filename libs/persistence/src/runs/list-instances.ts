import {
  Failure,
  InstanceId,
  InstanceState,
  type ReachedLimit,
  ReachedLimit as Limit,
  type RunId,
} from '@assay/contracts';
import { z } from 'zod';
import type { Sql } from '../database';
import { instanceHistory, instanceKey, type TryRow } from './instance-history';

export interface InstanceRow {
  readonly instanceId: InstanceId;
  readonly sample: number;
  readonly state: InstanceState;
  /** Trials that counted. */
  readonly attempts: number;
  /** Who holds its work now. */
  readonly worker: string | null;
  readonly nextTryAt: Date | null;
  readonly failure: Failure | null;
  readonly reachedLimit: ReachedLimit | null;
  readonly suspicions: string[];
  readonly traceparent: string | null;
  readonly terminalAt: Date | null;
  /** Oldest first. */
  readonly history: TryRow[];
}

interface RawInstance {
  instance_id: string;
  sample: number;
  state: string;
  attempts: number;
  worker: string | null;
  next_try_at: Date | null;
  failure: unknown;
  reached_limit: string | null;
  suspicions: unknown;
  traceparent: string | null;
  terminal_at: Date | null;
}

const Suspicions = z.array(z.string());

/** The instances of a run in the manifest's order, each with its tries and their artifacts; one of them on demand. */
export async function listInstances(
  sql: Sql,
  { runId, instanceId = null }: { readonly runId: RunId; readonly instanceId?: InstanceId | null },
): Promise<InstanceRow[]> {
  const rows = await sql.query<RawInstance>(
    `select i.instance_id, i.sample, i.state, i.attempts, i.next_try_at, i.failure, i.reached_limit, i.suspicions,
       i.traceparent, i.terminal_at,
       (select w.worker from work_items w
        where w.run_id = i.run_id and w.instance_id = i.instance_id and w.sample = i.sample and w.kind <> 'publication'
          and w.state = 'OPEN' and w.lease_until is not null limit 1) as worker
     from instances i
     where i.run_id = $1 and ($2::text is null or i.instance_id = $2)
     order by i.position, i.sample`,
    [runId, instanceId],
  );
  const history = await instanceHistory(sql, runId, instanceId);
  return rows.map((raw) => instanceRow(raw, history.get(instanceKey(raw.instance_id, raw.sample)) ?? []));
}

function instanceRow(raw: RawInstance, history: TryRow[]): InstanceRow {
  return {
    instanceId: InstanceId.parse(raw.instance_id),
    sample: raw.sample,
    state: InstanceState.parse(raw.state),
    attempts: raw.attempts,
    worker: raw.worker,
    nextTryAt: raw.next_try_at,
    failure: raw.failure === null ? null : Failure.parse(raw.failure),
    reachedLimit: raw.reached_limit === null ? null : Limit.parse(raw.reached_limit),
    suspicions: Suspicions.parse(raw.suspicions),
    traceparent: raw.traceparent,
    terminalAt: raw.terminal_at,
    history,
  };
}
