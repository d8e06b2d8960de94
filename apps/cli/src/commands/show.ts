import type { InstanceView, RunView } from '@assay/contracts';
import type { Command } from 'commander';
import { clientOf, withConnection, type ConnectionOptions } from '../connection';
import { answer, table } from '../output';
import { runIdOf } from '../run-argument';

/** `assay show RUN`: the run, its verdict, and every instance with the reason where it has none. */
export function showCommand(program: Command): void {
  withConnection(program.command('show <run>').description('show a run and its instances')).action(
    async (run: string, options: ConnectionOptions) => {
      const client = clientOf(options);
      const id = runIdOf(run);
      const [view, { instances }] = await Promise.all([client.run(id), client.instances(id)]);
      answer(options.json, { ...view, instances }, () => [...headOf(view), '', instanceTable(instances)].join('\n'));
    },
  );
}

function headOf(run: RunView): string[] {
  const lines = [
    `${run.runId}  ${run.state}${run.stalled ? ' (stalled: no matching worker)' : ''}`,
    `suite ${run.suite}, agent ${run.agent ?? 'not frozen yet'}, model ${run.model}, evaluated ${run.evaluated.ref}`,
    run.release === null
      ? 'no release: never published'
      : `release ${run.release.repository} ${run.release.tag}: ${run.publicationState}`,
  ];
  if (run.lastError !== null) lines.push(`last error: ${run.lastError}`);
  if (run.traceId !== null) lines.push(`trace ${run.traceId}`);
  const { resolved, unresolved, executionError, infraFailed, cancelled, total } = run.counts;
  lines.push(
    `${resolved} resolved, ${unresolved} unresolved, ${executionError} execution errors, ${infraFailed} infrastructure ` +
      `failures, ${cancelled} cancelled of ${total}`,
  );
  if (run.result?.score) lines.push(`score ${run.result.score.percent.toFixed(2)} %`);
  for (const { code, message } of run.result?.reasons ?? []) lines.push(`no score: ${message} (${code})`);
  return lines;
}

function instanceTable(instances: readonly InstanceView[]): string {
  const rows = instances.map((one) => [
    one.instanceId,
    one.state,
    String(one.attempts),
    one.failure === null
      ? one.limit === null
        ? ''
        : `limit reached: ${one.limit}`
      : `${one.failure.code}: ${one.failure.message}`,
  ]);
  return table([['INSTANCE', 'STATE', 'ATTEMPTS', 'WHY'], ...rows]);
}
