import type { RunView } from '@assay/contracts';
import type { Command } from 'commander';
import { clientOf, withConnection, type ConnectionOptions } from '../connection';
import { answer, table } from '../output';

interface RunsOptions extends ConnectionOptions {
  readonly cursor?: string;
}

/** `assay runs`: the newest first. */
export function runsCommand(program: Command): void {
  withConnection(program.command('runs').description('list runs, the newest first'))
    .option('--cursor <cursor>', 'go on where an earlier page ended')
    .action(async (options: RunsOptions) => {
      const page = await clientOf(options).runs(options.cursor ?? null);
      answer(options.json, page, () => {
        if (page.runs.length === 0) return 'no runs yet';
        const head = ['RUN', 'STATE', 'PUBLICATION', 'SUITE', 'REF', 'DONE', 'CREATED'];
        const more = page.nextCursor === null ? [] : [`more: --cursor ${page.nextCursor}`];
        return [table([head, ...page.runs.map(rowOf)]), ...more].join('\n');
      });
    });
}

function rowOf(run: RunView): string[] {
  const { resolved, unresolved, executionError, infraFailed, cancelled, total } = run.counts;
  const done = resolved + unresolved + executionError + infraFailed + cancelled;
  const state = run.stalled ? `${run.state} (stalled)` : run.state;
  return [run.runId, state, run.publicationState, run.suite, run.evaluated.ref, `${done}/${total}`, run.createdAt];
}
