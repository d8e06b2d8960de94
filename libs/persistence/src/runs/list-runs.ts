import type { RunState } from '@assay/contracts';
import type { Sql } from '../database';
import { cursorOf, positionOf } from './run-cursor';
import { type RawRun, RUN_COLUMNS, type RunRow, runRow } from './run-row';

export interface RunQuery {
  readonly limit: number;
  /** From the page before; null for the first. */
  readonly cursor: string | null;
  readonly state?: RunState;
  readonly suite?: string;
  /** The authenticated repository that they were handed in for; null: any. */
  readonly repository: string | null;
}

export interface RunPage {
  readonly runs: RunRow[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Runs from new to old, a page at a time; a run that comes in meanwhile shifts no page. @throws InvalidCursor */
export async function listRuns(sql: Sql, { limit, cursor, state, suite, repository }: RunQuery): Promise<RunPage> {
  const [createdAt, id] = cursor === null ? [null, null] : positionOf(cursor);
  const rows = await sql.query<RawRun & { position: string }>(
    `select ${RUN_COLUMNS}, (created_at at time zone 'UTC')::text || '+00' as position from runs
     where ($1::timestamptz is null or (created_at, id) < ($1, $2))
       and ($3::text is null or state = $3) and ($4::text is null or suite = $4)
       and ($6::text is null or repository = $6)
     order by created_at desc, id desc limit $5`,
    [createdAt, id, state ?? null, suite ?? null, limit + 1, repository],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? cursorOf([last.position, last.id]) : null;
  return { runs: page.map(runRow), nextCursor };
}
