import { Inject, Injectable } from '@nestjs/common';
import type { Timings } from '@assay/contracts';
import { TIMINGS } from '@assay/messaging';
import { Database, pruneSent } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import type { SweepStep } from './sweep-step.port';

/** Lines deleted by one sweep at most: it must not hold up the leases. */
const BATCH = 5_000;

/** Deletes what was sent long ago, so that the outbox does not grow for ever. */
@Injectable()
export class OutboxPruner implements SweepStep {
  constructor(
    private readonly database: Database,
    @Inject(TIMINGS) private readonly timings: Timings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async sweep(): Promise<void> {
    const deleted = await pruneSent(this.database, { keptMs: this.timings.sentKeptMs, limit: BATCH });
    if (deleted > 0) this.logger.debug({ deleted }, 'Messages that were sent long ago were deleted');
  }
}
