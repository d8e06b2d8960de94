import { HttpStatus } from '@nestjs/common';
import type { InstanceList, RunId, RunList, RunView, Timings } from '@assay/contracts';
import {
  type Database,
  getRun,
  instanceView,
  InvalidCursor,
  listInstances,
  listRuns,
  type RunQuery,
  type RunRow,
  runStateCounts,
  runView,
} from '@assay/persistence';
import { Refusal } from '@assay/service-kit';

/** Runs and instances as the API shows them. */
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
  async one(runId: RunId): Promise<RunView> {
    const [view] = await this.views([await this.row(runId)]);
    return view ?? noSuchRun(runId);
  }

  /** Every instance with its tries; none while the run is WAITING. @throws Refusal 404 */
  async instances(runId: RunId): Promise<InstanceList> {
    await this.row(runId);
    const rows = await listInstances(this.database, { runId });
    return { runId, instances: rows.map(instanceView) };
  }

  private async row(runId: RunId): Promise<RunRow> {
    return (await getRun(this.database, runId)) ?? noSuchRun(runId);
  }

  private async views(rows: readonly RunRow[]): Promise<RunView[]> {
    const ids = rows.map(({ id }) => id);
    const states = await runStateCounts(this.database, ids);
    const clock = { now: new Date(), timings: this.timings };
    return rows.map((row) => runView(row, states.get(row.id) ?? {}, clock));
  }
}

export function noSuchRun(runId: RunId): never {
  throw new Refusal(HttpStatus.NOT_FOUND, `there is no run ${runId}`);
}
