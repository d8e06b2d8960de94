import { Inject, Injectable } from '@nestjs/common';
import {
  Database,
  enqueueRun,
  finishRunIfDone,
  noteStalledRuns,
  undecidedRuns,
  unopenedRuns,
  type WorkProtocol,
} from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { PROTOCOL } from '../tokens';
import type { SweepStep } from './sweep-step.port';

/** Opens runs whose `run.submitted` was lost, decides runs that nobody decided, and marks runs that stand still. */
@Injectable()
export class RunMender implements SweepStep {
  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async sweep(): Promise<void> {
    for (const runId of await unopenedRuns(this.database, this.protocol.timings.sweepMs * 3)) {
      const instances = await this.database.transaction((sql) => enqueueRun(sql, runId, this.protocol));
      this.logger.warn({ runId, instances }, 'Run queued by the sweep: its message was lost');
    }
    for (const runId of await undecidedRuns(this.database)) {
      const finished = await this.database.transaction((sql) => finishRunIfDone(sql, runId, this.protocol));
      if (finished !== null) this.logger.warn({ ...finished }, 'Run decided by the sweep');
    }
    for (const runId of await noteStalledRuns(this.database, this.protocol.timings)) {
      this.logger.warn({ runId }, 'Run stands still: no worker of its build was there for too long');
    }
  }
}
