import { Inject, Injectable } from '@nestjs/common';
import type { ResultMessage } from '@assay/contracts';
import { Database, recordResult, type RecordedResult, type WorkProtocol } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { RunBudgets } from '../sweep/run-budgets';
import { PROTOCOL } from '../tokens';
import { ArtifactCheck } from './artifact-check';

/** Checks and records results: fence and artifacts, then state and messages in one transaction. */
@Injectable()
export class ResultRecorder {
  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    private readonly artifacts: ArtifactCheck,
    private readonly budgets: RunBudgets,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async record(message: ResultMessage): Promise<RecordedResult> {
    const bad = await this.artifacts.badOf(message);
    const recorded = await this.database.transaction((sql) => recordResult(sql, message, this.protocol, bad));
    this.tell(message, recorded);
    if (message.kind === 'trial' && recorded.reply.answer === 'recorded') await this.weighBudget(message);
    return recorded;
  }

  /** The result stands, whatever becomes of this: the sweep looks again. */
  private async weighBudget({ key }: ResultMessage): Promise<void> {
    try {
      await this.budgets.check(key.runId);
    } catch (error) {
      this.logger.warn({ ...key, err: error }, 'The budget of a run could not be looked at; the sweep will');
    }
  }

  private tell({ key, epoch, worker, outcome }: ResultMessage, { reply, next, finished }: RecordedResult): void {
    const why = outcome.kind === 'failed' ? { failure: outcome.failure } : {};
    const fields = { ...key, epoch, worker, outcome: outcome.kind, ...why };
    switch (reply.answer) {
      case 'recorded':
        this.logger.info({ ...fields, next }, 'Result recorded');
        break;
      case 'already_recorded':
        this.logger.debug(fields, 'Result was recorded before');
        break;
      case 'refused':
        this.logger.warn({ ...fields, reason: reply.reason, next }, 'Result refused');
        break;
    }
    if (finished !== null) this.logger.info({ ...finished }, 'Run decided');
  }
}
