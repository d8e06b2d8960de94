import { Controller, Inject } from '@nestjs/common';
import type { ArtifactRef, Failure } from '@assay/contracts';
import { classify } from '@assay/failures';
import { WorkHandler, type WorkContext, type WorkResult } from '@assay/messaging';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { GradePreparer, type PreparedGrade } from './grade-preparer';
import { GradeUploader } from './grade-uploader';
import type { Judgement } from './judge';

/** One grade: prepare a fresh sandbox, judge the patch in it, store log and report. */
@Controller()
export class GradeHandler {
  constructor(
    private readonly preparer: GradePreparer,
    private readonly uploader: GradeUploader,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkHandler('grade')
  async handle(work: WorkContext<'grade'>): Promise<WorkResult<'grade'>> {
    const started = Date.now();
    work.phase('GRADING');
    const { patch } = work.spec;
    if (isEmpty(patch)) return withoutContainer(work, started);
    const grade = await this.preparer.prepare(work, patch);
    try {
      const judged = await settled(grade, work.signal);
      work.signal.throwIfAborted();
      const artifacts = await this.uploader.upload(grade.log.file, 'reward' in judged ? judged : null);
      return { outcome: outcomeOf(work, grade, judged, started), artifacts };
    } finally {
      await this.cleanUp(work, grade);
    }
  }

  /** What cannot be removed now is reaped later; the verdict stands. */
  private async cleanUp({ key }: WorkContext<'grade'>, grade: PreparedGrade): Promise<void> {
    try {
      await grade.cleanUp();
    } catch (error) {
      this.logger.warn({ ...key, err: error }, 'A sandbox could not be removed; the reaper will');
    }
  }
}

/** White space alone is no empty patch: the harness runs it. */
function isEmpty(patch: ArtifactRef | null): patch is null {
  return patch === null || patch.size === 0;
}

/** An empty patch is judged without a container, as officially. */
function withoutContainer({ spec }: WorkContext<'grade'>, started: number): WorkResult<'grade'> {
  return {
    outcome: {
      kind: 'graded',
      verdict: 'UNRESOLVED',
      reward: 0,
      graderVersion: spec.grader.version,
      suspicions: [],
      imageId: null,
      durationMs: Date.now() - started,
    },
    artifacts: [],
  };
}

/** A failure keeps the log that stands so far: it is stored beside it. */
async function settled(grade: PreparedGrade, signal: AbortSignal): Promise<Judgement | Failure> {
  try {
    return await grade.judge.judge({ ...grade, signal });
  } catch (error) {
    return classify(error, 'grade');
  }
}

function outcomeOf(
  { spec }: WorkContext<'grade'>,
  { image }: PreparedGrade,
  judged: Judgement | Failure,
  started: number,
): WorkResult<'grade'>['outcome'] {
  const graderVersion = spec.grader.version;
  if (!('reward' in judged)) return { kind: 'failed', failure: judged, graderVersion };
  return {
    kind: 'graded',
    verdict: judged.reward === 1 ? 'RESOLVED' : 'UNRESOLVED',
    reward: judged.reward,
    graderVersion,
    suspicions: [...judged.suspicions],
    imageId: image.imageId,
    durationMs: Date.now() - started,
  };
}
