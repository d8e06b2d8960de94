import { Inject, Injectable } from '@nestjs/common';
import { WorkKind, type Names, type Timings, type WorkMessage } from '@assay/contracts';
import { JetStreamPublisher, StreamProvisioner } from '@assay/messaging';
import { Database, dueWork, notePublished, windowOf, type DueWork } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { NAMES, TIMINGS } from '../tokens';

/**
 * Publishes again what is due and that nobody holds. Refused as still stored for two minutes while workers idle, its
 * message is deleted and published; refused for as long again, the consumer is laid anew.
 */
@Injectable()
export class Republisher {
  constructor(
    private readonly database: Database,
    private readonly publisher: JetStreamPublisher,
    private readonly streams: StreamProvisioner,
    @Inject(NAMES) private readonly names: Names,
    @Inject(TIMINGS) private readonly timings: Timings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async publishDue(): Promise<void> {
    const { sweepMs, announceMs } = this.timings;
    for (const kind of WorkKind.options) {
      const { slots, leased } = await windowOf(this.database, kind, announceMs * 3);
      if (slots === 0) continue;
      const due = await dueWork(this.database, kind, { quietMs: sweepMs, limit: 4 * slots });
      for (const work of due) await this.publish(work, leased < slots);
    }
  }

  private async publish(work: DueWork, workersIdle: boolean): Promise<void> {
    const repairs =
      workersIdle && (work.refusedMs ?? 0) >= this.timings.stuckMs ? await this.repair(work) : work.repairs;
    const payload: WorkMessage = { key: work.key };
    const { stored } = await this.publisher.publish(this.names.work(work.key), payload, {
      messageId: `sweep:${randomUUID()}`,
      traceparent: work.traceparent,
    });
    await notePublished(this.database, work.key, { stored, repairs: stored ? work.repairs : repairs });
    if (stored) this.logger.info({ ...work.key }, 'Due work published again');
  }

  /** Resolves with what has been tried by now. */
  private async repair({ key, repairs }: DueWork): Promise<number> {
    if (repairs === 0) {
      await this.streams.deleteMessageOf(key);
      this.logger.warn({ ...key }, 'A wake-up that nobody gets was deleted, to be published again');
      return 1;
    }
    await this.streams.relayConsumer(key.kind);
    this.logger.warn({ ...key }, 'A consumer that delivers nothing was laid anew');
    return 2;
  }
}
