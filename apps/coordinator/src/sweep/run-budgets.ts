import { Inject, Injectable } from '@nestjs/common';
import type { RunBudget, RunId } from '@assay/contracts';
import { Database, limitedRuns, spendRun, type WorkProtocol } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { PROTOCOL } from '../tokens';
import type { SweepStep } from './sweep-step.port';

/** Holds runs to their budgets: the coordinator alone sees what all executors spend. */
@Injectable()
export class RunBudgets implements SweepStep {
  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async sweep(): Promise<void> {
    for (const runId of await limitedRuns(this.database)) await this.check(runId);
  }

  /** After a trial has ended or told what it spends: which budget is used up, null: none. A run without one costs one look. */
  async check(runId: RunId): Promise<RunBudget | null> {
    const spent = await this.database.transaction((sql) => spendRun(sql, runId, this.protocol));
    if (spent === null) return null;
    const { budget, isNew, cancelledInstances, finished } = spent;
    if (isNew || cancelledInstances > 0) {
      this.logger.warn({ runId, budget, cancelledInstances }, 'Budget of the run used up');
    }
    if (finished !== null) this.logger.info({ ...finished }, 'Run decided');
    return budget;
  }
}
