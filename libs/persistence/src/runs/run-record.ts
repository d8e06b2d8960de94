import { PublicationState, type RunRecord } from '@assay/contracts';
import type { Sql } from '../database';
import { listNotifications } from '../notifications/list-notifications';
import type { RunRow } from './run-row';

interface RawPublication {
  state: string;
  tries: number;
  last_error: string | null;
  written_at: Date | null;
  published_at: Date | null;
}

interface RawEvent {
  at: Date;
  type: string;
  instance_id: string | null;
  sample: number | null;
  data: Record<string, unknown>;
}

/** What a run was asked for and all that became of it, its events oldest first. */
export async function runRecord(sql: Sql, run: RunRow): Promise<RunRecord> {
  const [publication] = await sql.query<RawPublication>(
    'select state, tries, last_error, written_at, published_at from publications where run_id = $1',
    [run.id],
  );
  const events = await sql.query<RawEvent>(
    'select at, type, instance_id, sample, data from events where run_id = $1 order by id',
    [run.id],
  );
  return {
    schemaVersion: 'assay.run-record/1',
    runId: run.id,
    request: run.request,
    origin: run.origin,
    manifestDigest: run.manifestDigest === null ? null : (run.manifestDigest as RunRecord['manifestDigest']),
    publication: publication === undefined ? null : publicationOf(publication),
    notifications: await listNotifications(sql, run.id),
    events: events.map(({ at, type, instance_id, sample, data }) => ({
      ...{ at: at.toISOString(), type, instanceId: instance_id, sample, data },
    })),
  };
}

function publicationOf(raw: RawPublication): RunRecord['publication'] {
  return {
    state: PublicationState.parse(raw.state),
    tries: raw.tries,
    lastError: raw.last_error,
    writtenAt: raw.written_at?.toISOString() ?? null,
    publishedAt: raw.published_at?.toISOString() ?? null,
  };
}
