import { appendFileSync, writeFileSync } from 'node:fs';
import type { DispatchReply, SubmitReply } from '@assay/contracts';
import { ExitError } from '../output';
import { requireWritable } from '../path-option';

/** Checked before anything is handed in: a receipt that cannot be written comes too late. Throws UsageError. */
export function requireReceipt(file: string | undefined): void {
  if (file !== undefined) requireWritable('--receipt', file);
}

/** Throws ExitError 1, with the run that was made. */
export function writeReceipt(file: string | undefined, receipt: DispatchReply | SubmitReply): void {
  if (file === undefined) return;
  try {
    writeFileSync(file, `${JSON.stringify(receipt, null, 2)}\n`);
  } catch (error) {
    throw new ExitError(
      1,
      `the receipt${'runId' in receipt ? ` of ${receipt.runId}` : ''} cannot be written: ${(error as Error).message}`,
    );
  }
}

/** The file that GITHUB_OUTPUT names; null: none. Throws UsageError where it cannot be written. */
export function workflowOutput(file: string | undefined): string | null {
  if (file === undefined || file === '') return null;
  requireWritable('GITHUB_OUTPUT', file);
  return file;
}

/** For the steps of a workflow that come after this one. Throws ExitError 1, with the run that was made. */
export function tellWorkflow(outputFile: string, reply: DispatchReply): void {
  const run = reply.status === 'SKIPPED' ? '' : `run_id=${reply.runId}\n`;
  try {
    appendFileSync(outputFile, `${run}status=${reply.status}\n`);
  } catch (error) {
    const made = reply.status === 'SKIPPED' ? reply.status : reply.runId;
    throw new ExitError(1, `GITHUB_OUTPUT: ${made} cannot be written there: ${(error as Error).message}`);
  }
}

/** The answer in words. */
export function replyText(reply: DispatchReply, url: string): string {
  if (reply.status === 'SKIPPED') {
    return `skipped${reply.rule === null ? '' : ` by the rule ${reply.rule}`}: ${reply.reason}`;
  }
  const { runId, status, deduplicated, releaseTag, evaluatedRef, suite, rule, expectedInstances, chain } = reply;
  return [
    `${runId} is ${status}${deduplicated ? ' (submitted before)' : ''}`,
    `release ${releaseTag}, evaluated ${evaluatedRef}, by the rule ${rule}: ${stepText({ suite, expectedInstances })}`,
    ...chain.map((step) => `then ${stepText(step)}`),
    url,
  ].join('\n');
}

function stepText({ suite, expectedInstances: n }: { suite: string; expectedInstances: number | null }): string {
  return n === null ? suite : `${suite}, ${n} ${n === 1 ? 'instance' : 'instances'}`;
}
