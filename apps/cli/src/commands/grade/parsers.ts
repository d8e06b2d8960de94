import { type Command } from 'commander';
import { parsedLine } from './grade-line';
import { convertFiles, withFiles, type FileOptions } from './file-options';

/** `assay grade parsers`: what a log parser reads, without a verdict. */
export function withParsers(grade: Command): void {
  withFiles(grade.command('parsers').description('read test logs by a parser: the status of each test, in order'), {
    in: '{parser, log} a line',
    out: '{map: [[test, status], …]} a line',
  }).action((options: FileOptions) => convertFiles(options, 'logs read', (value) => parsedLine(value, options.rules)));
}
