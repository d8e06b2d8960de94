import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { NatsLink, StreamProvisioner } from '@assay/messaging';
import { Database, exclusively, forgetPublished, noteStreams } from '@assay/persistence';
import { LOGGER, Readiness } from '@assay/service-kit';
import type { Logger } from 'pino';
import { QuietPeriod } from '../sweep/quiet-period';
import type { SweepStep } from '../sweep/sweep-step.port';

const RETRY_MS = 1_000;

/**
 * Lays streams and consumers: at the start, after every reconnect and at every sweep. A stream that was created anew since
 * the last look means that its store was lost: all open work is published again.
 */
@Injectable()
export class StreamKeeper implements SweepStep, OnModuleInit, BeforeApplicationShutdown {
  private isLaid = false;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;
  private readonly undo: (() => void)[] = [];

  constructor(
    private readonly link: NatsLink,
    private readonly provisioner: StreamProvisioner,
    private readonly database: Database,
    private readonly quiet: QuietPeriod,
    readiness: Readiness,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    readiness.add('streams', () => {
      if (!this.isLaid) throw new Error('not laid yet');
    });
  }

  /** The streams have been laid once: there is something to publish to. */
  get ready(): boolean {
    return this.isLaid;
  }

  async onModuleInit(): Promise<void> {
    const lost = (): void => {
      this.quiet.extend();
    };
    this.undo.push(
      this.link.onDisconnect(lost),
      this.link.onReconnect(() => {
        lost();
        void this.keep();
      }),
    );
    await this.keep();
  }

  beforeApplicationShutdown(): void {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    for (const undo of this.undo) undo();
  }

  sweep(): Promise<void> {
    return this.keep();
  }

  /** Lays everything; when the server refuses, or another coordinator is at it, tries again soon. Never rejects. */
  async keep(): Promise<void> {
    if (this.stopped) return;
    if (!this.link.connected) {
      this.quiet.extend();
      return;
    }
    try {
      const done = await exclusively(this.database, 'streams', () => this.lay());
      if (done === null) {
        if (!this.isLaid) this.keepSoon();
        return;
      }
      this.isLaid = true;
    } catch (error) {
      this.logger.error({ err: error }, 'Streams could not be laid; trying again');
      this.keepSoon();
    }
  }

  private keepSoon(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.keep(), RETRY_MS);
  }

  private async lay(): Promise<true> {
    const lost = await noteStreams(this.database, { ...(await this.provisioner.lay()) });
    if (lost.length > 0) {
      this.quiet.extend();
      const open = await forgetPublished(this.database);
      this.logger.warn({ streams: lost, open }, 'Streams were lost and are laid anew; open work is published again');
    }
    return true;
  }
}
