import type { RunView } from '@assay/contracts';
import { lstatSync, renameSync, writeFileSync } from 'node:fs';
import { ExitError, table } from '../output';
import type { Deployment } from './deployment';

/** The verdict, the instances, the block that the release now carries, and where to look. */
export async function report(deployment: Deployment, run: RunView): Promise<string> {
  const measured = run.result?.status === 'FAILED' ? null : run.result;
  const instances = (measured?.instances ?? []).map(({ id, state, attempts, failure, limit }) => [
    id,
    state,
    attempts === 1 ? '1 attempt' : `${attempts} attempts`,
    failure ?? (limit === null ? '' : `limit reached: ${limit}`),
  ]);
  const reasons = (measured?.reasons ?? []).map(({ code, message }) => `  ${message} (${code})`);
  const release = await deployment.release.read();
  return [
    '',
    table(instances),
    '',
    `${run.runId} ${run.state}`,
    ...reasons,
    ...(run.lastError === null ? [] : [`last error: ${run.lastError}`]),
    '',
    `the release now says (${run.publicationState}):`,
    '',
    ...blockOf(release?.body ?? '', run.suite),
    '',
    `run       ${deployment.url}/v1/runs/${run.runId}`,
    `API       ${deployment.url}/docs`,
    ...(deployment.certificate === null ? [] : [`trusted   ${deployment.certificate}`]),
    `release   ${release?.html_url ?? deployment.githubUrl} (a stand-in of GitHub on this machine)`,
    `logs      ${deployment.logs}`,
    ...(run.traceId === null ? [] : [`trace     ${run.traceId}`]),
  ].join('\n');
}

/** The block of one suite: a release may carry those of several. */
function blockOf(body: string, suite: string): string[] {
  const lines = body.split(/\r?\n/);
  const mark = (kind: string): number =>
    lines.findIndex((line) => line.startsWith('<!-- assay:') && line.includes(`:${suite}:${kind} -->`));
  const [start, end] = [mark('start'), mark('end')];
  if (start === -1 || end < start) return ['  (no block)'];
  return lines.slice(start + 1, end).map((line) => `  ${line}`);
}

/** Writes the public result in one step, so that a reader never sees half of it. */
export function writeResult(file: string, run: RunView): void {
  if (run.result === null) throw new ExitError(1, `--json: ${run.runId} has no result: ${run.lastError ?? run.state}`);
  const text = `${JSON.stringify(run.result, null, 2)}\n`;
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    writeFileSync(file, text); // a link or a device is written to, not replaced
    return;
  }
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
