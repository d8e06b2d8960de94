import { Inject, Injectable } from '@nestjs/common';
import { StreamProvisioner } from '@assay/messaging';
import { Database, expireLease, lapsedLeases, type LapsedLease, type WorkProtocol } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { ResultRecorder } from '../results/result-recorder';
import { PROTOCOL } from '../tokens';
import { QuietPeriod } from './quiet-period';
import type { SweepStep } from './sweep-step.port';

const BATCH = 200;

/** Ends leases whose holders were silent for too long: a result that waits in its stream first, else the lease. */
@Injectable()
export class LeaseSweep implements SweepStep {
  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    private readonly streams: StreamProvisioner,
    private readonly recorder: ResultRecorder,
    private readonly quiet: QuietPeriod,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Ends every lapsed lease, outside of a quiet period. One that cannot be ended does not keep the others. */
  async sweep(): Promise<void> {
    if (!this.quiet.isOver) return;
    for (const lease of await lapsedLeases(this.database, BATCH)) {
      try {
        await this.end(lease);
      } catch (error) {
        this.logger.error({ ...lease.key, epoch: lease.epoch, err: error }, 'A lapsed lease could not be ended');
      }
    }
  }

  async end(lease: LapsedLease): Promise<void> {
    const { key, epoch } = lease;
    const stored = await this.streams.storedResult(key);
    if (stored?.message.epoch === epoch) {
      const { reply } = await this.recorder.record(stored.message);
      if (reply.answer !== 'refused') return;
    }
    const followed = await this.database.transaction((sql) => expireLease(sql, lease, this.protocol));
    if (followed === null) return;
    this.logger.warn({ ...key, epoch, next: followed.next }, 'Lease ran out');
    if (followed.finished !== null) this.logger.info({ ...followed.finished }, 'Run decided');
  }
}
