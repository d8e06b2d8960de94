import type { InstanceView, NotificationView, RunView } from '@assay/contracts';
import { FAILURE_CODES, type FailureCode } from '@assay/failures';
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
      const [view, { instances }, { notifications }] = await Promise.all([
        client.run(id),
        client.instances(id),
        client.record(id),
      ]);
      const { publicationDifference: digest } = view;
      const difference = digest === null ? null : (await client.artifact(digest)).toString();
      answer(options.json, { ...view, instances, notifications, ...(difference === null ? {} : { difference }) }, () =>
        runText(view, { instances, difference, notifications }),
      );
    },
  );
}

export interface ShownBeside {
  readonly instances: readonly InstanceView[];
  /** What a dry run would have changed on the release, as a unified diff. */
  readonly difference: string | null;
  readonly notifications: readonly NotificationView[];
}

export function runText(run: RunView, { instances, difference, notifications }: ShownBeside): string {
  const change = difference === null ? [] : ['', 'the release would have changed by this:', '', difference.trimEnd()];
  return [...headOf(run), ...notifications.map(toldText), '', instanceTable(instances), ...change].join('\n');
}

function headOf(run: RunView): string[] {
  const lines = [
    `${run.runId}  ${run.state}${run.stalled ? ' (stalled: no matching worker)' : ''}`,
    `suite ${run.suite}, agent ${run.agent ?? 'not frozen yet'}, model ${run.model}, evaluated ${run.evaluated.ref}`,
    run.release === null
      ? 'no release: never published'
      : `release ${run.release.repository} ${run.release.tag}: ${run.publicationState}`,
  ];
  if (run.publicationReason !== null) lines.push(`nothing was written: ${run.publicationReason}`);
  lines.push(...chainOf(run));
  if (run.failure !== null) {
    lines.push(`failed: ${run.failure.message} (${run.failure.code})`, ...adviceOn(`(${run.failure.code})`));
  }
  if (run.lastError !== null) lines.push(`last error: ${run.lastError}`, ...adviceOn(run.lastError));
  if (run.publicationRetryAt !== null) lines.push(`the release is looked at again at ${run.publicationRetryAt}`);
  if (run.traceId !== null) lines.push(`trace ${run.traceId}`);
  const { resolved, unresolved, executionError, infraFailed, cancelled, total } = run.counts;
  lines.push(
    `${resolved} resolved, ${unresolved} unresolved, ${executionError} execution errors, ${infraFailed} infrastructure ` +
      `failures, ${cancelled} cancelled of ${total}`,
  );
  if (run.result === null || run.result.status === 'FAILED') return lines;
  const { score, reasons } = run.result;
  if (score !== null) lines.push(`score ${score.percent.toFixed(2)} %`);
  for (const { code, message } of reasons) lines.push(`no score: ${message} (${code})`);
  return lines;
}

/** What an operator does about a failure that ends with its code. */
function adviceOn(error: string): string[] {
  const code = /\(([a-z_]+)\)$/.exec(error)?.[1] ?? '';
  return code in FAILURE_CODES ? [`what to do: ${FAILURE_CODES[code as FailureCode].operator}`] : [];
}

function chainOf({ chain, chainOf: first }: RunView): string[] {
  const links = chain.map(
    (link) => `then ${link.suite}: ${link.state}${link.runId === null ? '' : ` as ${link.runId}`}`,
  );
  return [
    ...(first === null ? [] : [`follows the run ${first}`]),
    ...links.map((line, at) => (chain[at]?.reason == null ? line : `${line}, because ${chain[at].reason}`)),
  ];
}

function toldText({ event, target, state, tries, lastError }: NotificationView): string {
  const why = lastError === null ? '' : `: ${lastError}`;
  return `notification ${event} to ${target}: ${state} after ${tries} ${tries === 1 ? 'try' : 'tries'}${why}`;
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
