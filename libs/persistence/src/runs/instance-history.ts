import { ArtifactRef, AttemptState, Failure, type RunId } from '@assay/contracts';
import type { Sql } from '../database';

/** One try of an instance: a trial's attempt, or a grade of one. */
export interface TryRow {
  readonly kind: 'trial' | 'grade';
  /** 1 for the first. */
  readonly number: number;
  readonly state: AttemptState;
  readonly worker: string;
  readonly grantedAt: Date;
  /** Its first accepted heartbeat. */
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly failure: Failure | null;
  readonly artifacts: ArtifactRef[];
}

interface RawTry {
  id: string;
  kind: 'trial' | 'grade';
  instance_id: string;
  sample: number;
  number: number;
  state: string;
  worker: string;
  granted_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  failure: unknown;
}

/** Names an instance of a run in a Map. */
export function instanceKey(instanceId: string, sample: number): string {
  return `${instanceId}#${sample}`;
}

/** The tries of every instance of a run (or of one), oldest first, by `instanceKey`. */
export async function instanceHistory(
  sql: Sql,
  runId: RunId,
  instanceId: string | null,
): Promise<Map<string, TryRow[]>> {
  const columns = 'id, instance_id, sample, number, state, worker, granted_at, started_at, finished_at, failure';
  const condition = 'run_id = $1 and ($2::text is null or instance_id = $2)';
  const tries = await sql.query<RawTry>(
    `select 'trial' as kind, ${columns} from attempts where ${condition}
     union all
     select 'grade' as kind, ${columns} from grades where ${condition}
     order by granted_at, kind desc, number`,
    [runId, instanceId],
  );
  const artifacts = await artifactsByTry(sql, runId, instanceId);
  const history = new Map<string, TryRow[]>();
  for (const raw of tries) {
    const key = instanceKey(raw.instance_id, raw.sample);
    const before = history.get(key) ?? [];
    before.push(tryRow(raw, artifacts.get(raw.id) ?? []));
    history.set(key, before);
  }
  return history;
}

async function artifactsByTry(sql: Sql, runId: RunId, instanceId: string | null): Promise<Map<string, ArtifactRef[]>> {
  const rows = await sql.query<{ owner: string; name: string; digest: string; size: string; media_type: string }>(
    `select coalesce(grade_id, attempt_id) as owner, name, digest, size, media_type from artifacts
     where run_id = $1 and ($2::text is null or instance_id = $2) and coalesce(grade_id, attempt_id) is not null
     order by id`,
    [runId, instanceId],
  );
  const byTry = new Map<string, ArtifactRef[]>();
  for (const { owner, name, digest, size, media_type } of rows) {
    const before = byTry.get(owner) ?? [];
    before.push(ArtifactRef.parse({ name, digest, size: Number(size), mediaType: media_type }));
    byTry.set(owner, before);
  }
  return byTry;
}

function tryRow(raw: RawTry, artifacts: ArtifactRef[]): TryRow {
  return {
    kind: raw.kind,
    number: raw.number,
    state: AttemptState.parse(raw.state),
    worker: raw.worker,
    grantedAt: raw.granted_at,
    startedAt: raw.started_at,
    finishedAt: raw.finished_at,
    failure: raw.failure === null ? null : Failure.parse(raw.failure),
    artifacts,
  };
}
