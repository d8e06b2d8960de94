import { Inject, Injectable } from '@nestjs/common';
import type { Names, Timings, WorkMessage } from '@assay/contracts';
import { JetStreamPublisher, StreamProvisioner, TIMINGS } from '@assay/messaging';
import { Database, dueWork, notePublished, relayWindows, type DueWork } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { aliveFor, PER_SLOT } from '../relay/window.policy';
import { NAMES } from '../tokens';
import type { SweepStep } from './sweep-step.port';

/**
 * Publishes again what is due and that nobody holds. Refused as still stored for two minutes while workers idle, its
 * message is deleted and published; refused for as long again, the consumer is laid anew.
 */
@Injectable()
export class Republisher implements SweepStep {
  constructor(
    private readonly database: Database,
    private readonly publisher: JetStreamPublisher,
    private readonly streams: StreamProvisioner,
    @Inject(NAMES) private readonly names: Names,
    @Inject(TIMINGS) private readonly timings: Timings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async sweep(): Promise<void> {
    const { sweepMs } = this.timings;
    const aliveMs = aliveFor(this.timings);
    for (const { kind, slots, leased } of await relayWindows(this.database, aliveMs)) {
      if (slots === 0) continue;
      const due = await dueWork(this.database, kind, { quietMs: sweepMs, aliveMs, limit: PER_SLOT * slots });
      for (const work of due) await this.tryToPublish(work, leased < slots);
    }
  }

  /** What a stream does not take (full, gone) is tried at the next sweep; the other work goes on. */
  private async tryToPublish(work: DueWork, workersIdle: boolean): Promise<void> {
    try {
      await this.publish(work, workersIdle);
    } catch (error) {
      this.logger.warn({ ...work.key, err: error }, 'Due work could not be published again');
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
    await notePublished(this.database, work.key, { stored, repairs });
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
