#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { ApiError } from './api.client';
import { cancelCommand } from './commands/cancel';
import { runsCommand } from './commands/runs';
import { showCommand } from './commands/show';
import { submitCommand } from './commands/submit';
import { upCommand } from './commands/up';
import { ExitError, UsageError } from './output';

/** The command line `assay`. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 quarantined. */
async function main(): Promise<void> {
  const program = new Command('assay')
    .description('turns published releases of coding agents into benchmark results that can be believed')
    .exitOverride();
  for (const add of [upCommand, submitCommand, runsCommand, showCommand, cancelCommand]) add(program);
  await program.parseAsync();
}

main().catch((error: unknown) => {
  // commander has said what was wrong (or shown its help) already.
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  process.exitCode = error instanceof ExitError ? error.code : error instanceof UsageError ? 2 : 1;
  const expected = error instanceof ApiError || error instanceof UsageError || error instanceof ExitError;
  const text = error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error);
  if (text !== '') process.stderr.write(`${text}\n`);
});
