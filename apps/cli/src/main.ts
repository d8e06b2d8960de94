#!/usr/bin/env node
import { BlamedError } from '@assay/failures';
import { CommanderError } from 'commander';
import { ApiError } from './api.client';
import { ExitError, UsageError } from './output';
import { assayProgram } from './program';

/** Exit codes: 0 done, 1 failed, 2 wrong usage, 3 quarantined; 128 + n when signal n stopped it before its end. */
assayProgram()
  .parseAsync()
  .catch((error: unknown) => {
    // commander has said what was wrong (or shown its help) already.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.exitCode = error instanceof ExitError ? error.code : error instanceof UsageError ? 2 : 1;
    const text =
      error instanceof Error ? (isForPeople(error) ? error.message : (error.stack ?? error.message)) : String(error);
    if (text !== '') process.stderr.write(`${text}\n`);
  });

/** What a person can do something about needs no stack: our own refusals, and what the system refuses us. */
function isForPeople(error: Error): boolean {
  const ours = [ApiError, UsageError, ExitError, BlamedError].some((kind) => error instanceof kind);
  return ours || 'syscall' in error;
}
