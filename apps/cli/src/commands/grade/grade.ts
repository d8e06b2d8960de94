import type { Command } from 'commander';
import { withLogs } from './logs';
import { withParsers } from './parsers';
import { withPredictions } from './predictions';

/** `assay grade`: verdicts for what is there already. */
export function gradeCommand(program: Command): void {
  const grade = program
    .command('grade')
    .description('grade predictions as the official harness does, or test logs that are there already');
  // An option belongs to the command that it stands behind: `grade` and its subcommands each have an --out.
  for (const command of [program, grade]) command.enablePositionalOptions();
  withPredictions(grade);
  withLogs(grade);
  withParsers(grade);
}
