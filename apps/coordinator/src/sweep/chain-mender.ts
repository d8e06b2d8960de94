import { Inject, Injectable } from '@nestjs/common';
import { Database, settleChain, settledBeforeChains } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import type { SweepStep } from './sweep-step.port';

/**
 * Goes on with chains behind runs that no result of ours settled: those that the dispatcher ended while they waited. All
 * others go on in the transaction that settles the run before them.
 */
@Injectable()
export class ChainMender implements SweepStep {
  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async sweep(): Promise<void> {
    for (const runId of await settledBeforeChains(this.database)) {
      const settled = await this.database.transaction((sql) => settleChain(sql, runId));
      if (settled !== null) this.logger.info({ before: runId, ...settled }, 'Link of a chain settled by the sweep');
    }
  }
}
