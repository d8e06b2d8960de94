import { stat } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import type { ArtifactRef } from '@assay/contracts';
import { ARTIFACTS } from '../tokens';
import type { Judgement } from './judge';

/** Stores what a grade leaves: the log as it was printed, and the report. All of it before the result is sent. */
@Injectable()
export class GradeUploader {
  constructor(@Inject(ARTIFACTS) private readonly artifacts: ArtifactStore) {}

  /** A log in which nothing was written is left out where there is no verdict: the tests did not run. */
  async upload(logFile: string, judgement: Judgement | null): Promise<ArtifactRef[]> {
    const stored: ArtifactRef[] = [];
    if (judgement !== null || (await stat(logFile)).size > 0) {
      stored.push(await this.artifacts.put('grade_log', 'text/plain', { file: logFile }));
    }
    if (judgement !== null) {
      stored.push(await this.artifacts.put('report', 'application/json', Buffer.from(judgement.report)));
    }
    return stored;
  }
}
