import type { Command } from 'commander';
import { withPredictions } from './predictions';

/** `assay grade`: verdicts for what is there already. */
export function gradeCommand(program: Command): void {
  const grade = program.command('grade').description('grade predictions as the official harness does');
  withPredictions(grade);
}
