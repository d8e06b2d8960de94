import { HttpStatus } from '@nestjs/common';
import type { InstanceList, RunId, RunList, RunRecord, RunView, Timings } from '@assay/contracts';
import {
  type Database,
  getRun,
  instanceView,
  InvalidCursor,
  listInstances,
  listRuns,
  type RunQuery,
  runRecord,
  type RunRow,
  runStateCounts,
  runView,
} from '@assay/persistence';
import { Refusal } from '@assay/service-kit';
import { Denied } from '../auth/denied';

/** Runs and instances as the API shows them, to who may see all runs (`null`) or those of one repository. */
export class RunReader {
  constructor(
    private readonly database: Database,
    private readonly timings: Timings,
  ) {}

  /** A page from new to old. @throws Refusal 400 for a cursor that no page gave */
  async list(query: RunQuery): Promise<RunList> {
    const page = await listRuns(this.database, query).catch((error: unknown) => {
      if (!(error instanceof InvalidCursor)) throw error;
      const problem = { field: 'cursor', value: query.cursor, expected: error.message };
      throw new Refusal(HttpStatus.BAD_REQUEST, "the request's query is not valid", [problem]);
    });
    return { runs: await this.views(page.runs), nextCursor: page.nextCursor };
  }

  /** @throws Refusal 404 */
  async one(runId: RunId, repository: string | null): Promise<RunView> {
    const [view] = await this.views([await this.row(runId, repository)]);
    return view ?? noSuchRun(runId);
  }

  /** Every instance with its tries; none while the run is WAITING. @throws Refusal 404 */
  async instances(runId: RunId, repository: string | null): Promise<InstanceList> {
    await this.row(runId, repository);
    const rows = await listInstances(this.database, { runId });
    return { runId, instances: rows.map(instanceView) };
  }

  /** What the run was asked for and all that became of it. @throws Refusal 404 */
  async record(runId: RunId, repository: string | null): Promise<RunRecord> {
    return runRecord(this.database, await this.row(runId, repository));
  }

  /** @throws Refusal 404 */
  async requireVisible(runId: RunId, repository: string | null): Promise<void> {
    if (repository !== null) await this.row(runId, repository);
  }

  /** Another repository's run is answered as if there were none, so that nobody can find out which there are. */
  private async row(runId: RunId, repository: string | null): Promise<RunRow> {
    const row = (await getRun(this.database, runId)) ?? noSuchRun(runId);
    if (repository === null || row.repository === repository) return row;
    throw new Denied(HttpStatus.NOT_FOUND, 'other_repository', noSuchRunText(runId));
  }

  private async views(rows: readonly RunRow[]): Promise<RunView[]> {
    const ids = rows.map(({ id }) => id);
    const states = await runStateCounts(this.database, ids);
    const clock = { now: new Date(), timings: this.timings };
    return rows.map((row) => runView(row, states.get(row.id) ?? {}, clock));
  }
}

export function noSuchRun(runId: RunId): never {
  throw new Refusal(HttpStatus.NOT_FOUND, noSuchRunText(runId));
}

function noSuchRunText(runId: RunId): string {
  return `there is no run ${runId}`;
}
