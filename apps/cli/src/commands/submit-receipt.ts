import { accessSync, appendFileSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DispatchReply, SubmitReply } from '@assay/contracts';
import { ExitError, UsageError } from '../output';

/** Checked before anything is handed in: a receipt that cannot be written comes too late. Throws UsageError. */
export function requireWritable(file: string | undefined): void {
  if (file === undefined) return;
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  } catch {
    // Told below, with the folder's other faults.
  }
  throw new UsageError(`--receipt: expected a file in a folder that can be written, got ${JSON.stringify(file)}`);
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

/** For the steps of a workflow that come after this one. */
export function tellWorkflow(outputFile: string | undefined, reply: DispatchReply): void {
  if (outputFile === undefined || outputFile === '') return;
  const run = reply.status === 'SKIPPED' ? '' : `run_id=${reply.runId}\n`;
  appendFileSync(outputFile, `${run}status=${reply.status}\n`);
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
