import { GRADING_RULES, graderVersion, type GradingRules } from '@assay/grading';
import { Option, type Command } from 'commander';
import { ExitError } from '../../output';
import { convertLines, type Convert } from './json-lines/convert-lines';

/** What `grade logs` and `grade parsers` take. */
export interface FileOptions {
  readonly in: string;
  readonly out: string;
  readonly rules: GradingRules;
}

/** Adds them; `shapes` says what a line of either file holds. */
export function withFiles(command: Command, shapes: { readonly in: string; readonly out: string }): Command {
  return command
    .requiredOption('--in <file>', `JSONL, or gzip of it; - for stdin: ${shapes.in}`)
    .requiredOption('--out <file>', `JSONL, in the same order; - for stdout: ${shapes.out}`)
    .addOption(new Option('--rules <name>', 'whose rules').choices(GRADING_RULES).default(graderVersion));
}

/** Converts the file and says what came of it. Throws ExitError 1 when a line had an error. */
export async function convertFiles(options: FileOptions, done: string, convert: Convert): Promise<void> {
  const { converted, errors, firstError } = await convertLines(options.in, options.out, convert);
  if (firstError !== null) {
    throw new ExitError(1, `${converted} ${done}, ${errors} lines with an error; the first: ${firstError}`);
  }
  // Not on stdout: that may be the output.
  process.stderr.write(`${converted} ${done}\n`);
}
