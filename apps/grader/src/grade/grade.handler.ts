import { Controller } from '@nestjs/common';
import { WorkHandler, type WorkContext, type WorkResult } from '@assay/messaging';
import { HarborGrader } from './harbor-grader';
import { SwebenchGrader } from './swebench-grader';

/** One grade: a verdict by the rules of the task's source, in a fresh sandbox. */
@Controller()
export class GradeHandler {
  constructor(
    private readonly harbor: HarborGrader,
    private readonly swebench: SwebenchGrader,
  ) {}

  @WorkHandler('grade')
  async handle(work: WorkContext<'grade'>): Promise<WorkResult<'grade'>> {
    work.phase('GRADING');
    const { spec } = work;
    // Nothing was changed, so nothing can be resolved: no sandbox is needed to know that.
    if (spec.patch === null) return unresolvedWithoutPatch(spec.grader.version);
    const grader = spec.instance.source === 'harbor' ? this.harbor : this.swebench;
    return grader.grade(work, spec.patch);
  }
}

function unresolvedWithoutPatch(graderVersion: string): WorkResult<'grade'> {
  return {
    outcome: {
      kind: 'graded',
      verdict: 'UNRESOLVED',
      reward: 0,
      graderVersion,
      suspicions: [],
      imageId: null,
      durationMs: 0,
    },
    artifacts: [],
  };
}
