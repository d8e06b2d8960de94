import { Inject, Injectable } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import type { ArtifactRef, ResultMessage } from '@assay/contracts';
import { Database, recordResult, type RecordedResult, type WorkProtocol } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { ARTIFACTS, PROTOCOL } from '../tokens';

/** Checks and records results: fence and artifacts, then state and messages in one transaction. */
@Injectable()
export class ResultRecorder {
  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    @Inject(ARTIFACTS) private readonly artifacts: ArtifactStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async record(message: ResultMessage): Promise<RecordedResult> {
    const missing = await this.missingArtifact(message);
    if (missing !== null) {
      this.logger.error(
        { ...message.key, epoch: message.epoch, artifact: missing.name },
        'Result names a missing artifact',
      );
      const reason = `artifact ${missing.name} (${missing.digest}, ${missing.size} bytes) is not in the store`;
      return { reply: { answer: 'refused', reason }, next: null, finished: null };
    }
    const recorded = await this.database.transaction((sql) => recordResult(sql, message, this.protocol));
    this.tell(message, recorded);
    return recorded;
  }

  private async missingArtifact({ artifacts, outcome }: ResultMessage): Promise<ArtifactRef | null> {
    const named = outcome.kind === 'completed' ? [outcome.patch, outcome.trajectory] : [];
    const all = [...artifacts, ...named.filter((ref) => ref !== null)];
    const sizes = await Promise.all(all.map(({ digest }) => this.artifacts.stat(digest)));
    return all.find(({ size }, index) => sizes[index] !== size) ?? null;
  }

  private tell({ key, epoch, worker, outcome }: ResultMessage, { reply, next, finished }: RecordedResult): void {
    const fields = { ...key, epoch, worker, outcome: outcome.kind };
    switch (reply.answer) {
      case 'recorded':
        this.logger.info({ ...fields, next }, 'Result recorded');
        break;
      case 'already_recorded':
        this.logger.debug(fields, 'Result was recorded before');
        break;
      case 'refused':
        this.logger.warn({ ...fields, reason: reply.reason }, 'Result refused');
        break;
    }
    if (finished !== null) this.logger.info({ ...finished }, 'Run decided');
  }
}
