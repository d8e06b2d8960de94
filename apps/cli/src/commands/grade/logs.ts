import { type Command } from 'commander';
import { gradedLine } from './grade-line';
import { convertFiles, withFiles, type FileOptions } from './file-options';

/** `assay grade logs`: verdicts for test logs that are there already. */
export function withLogs(grade: Command): void {
  withFiles(
    grade.command('logs').description('grade test logs: the official verdict for each, and what is suspicious'),
    {
      in: '{instance_id, log, FAIL_TO_PASS, PASS_TO_PASS, log_parser, eval_type, model_patch?} a line',
      out: '{instance_id, found, resolution, status_map, report, suspicions} a line',
    },
  ).action((options: FileOptions) => convertFiles(options, 'logs graded', (value) => gradedLine(value, options.rules)));
}
