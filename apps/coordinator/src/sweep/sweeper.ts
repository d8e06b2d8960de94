import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Timings } from '@assay/contracts';
import {
  Database,
  enqueueRun,
  exclusively,
  finishRunIfDone,
  undecidedRuns,
  unopenedRuns,
  type WorkProtocol,
} from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { StreamKeeper } from '../streams/stream-keeper';
import { PROTOCOL, TIMINGS } from '../tokens';
import { LeaseSweep } from './lease-sweep';
import { QuietPeriod } from './quiet-period';
import { Republisher } from './republisher';

/** Every sweep interval, in one coordinator at a time: mends whatever a lost message or a dead worker left behind. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | null = null;
  private sweeping: Promise<void> = Promise.resolve();
  private lastTick = performance.now();
  private stopped = false;

  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    @Inject(TIMINGS) private readonly timings: Timings,
    private readonly quiet: QuietPeriod,
    private readonly streams: StreamKeeper,
    private readonly leases: LeaseSweep,
    private readonly republisher: Republisher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.plan();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.sweeping;
  }

  /** One sweep. Never rejects: a database that is away makes leases quiet, and the next sweep tries again. */
  async sweep(): Promise<void> {
    try {
      await exclusively(this.database, 'sweep', async () => {
        await this.streams.keep();
        if (this.quiet.isOver) await this.leases.endAll();
        await this.mendRuns();
        await this.republisher.publishDue();
      });
    } catch (error) {
      this.quiet.extend();
      this.logger.error({ err: error }, 'A sweep failed; leases are left alone for a while');
    }
  }

  private plan(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.noticeStall();
      this.sweeping = this.sweep().finally(() => {
        this.plan();
      });
    }, this.timings.sweepMs);
  }

  /** A timer that comes this late means that we did not run, and so recorded no heartbeats. */
  private noticeStall(): void {
    const now = performance.now();
    if (now - this.lastTick > this.timings.sweepMs + this.timings.leaseMs / 2) this.quiet.extend();
    this.lastTick = now;
  }

  private async mendRuns(): Promise<void> {
    for (const runId of await unopenedRuns(this.database, this.timings.sweepMs * 3)) {
      const instances = await this.database.transaction((sql) => enqueueRun(sql, runId, this.protocol));
      this.logger.warn({ runId, instances }, 'Run queued by the sweep: its message was lost');
    }
    for (const runId of await undecidedRuns(this.database)) {
      const finished = await this.database.transaction((sql) => finishRunIfDone(sql, runId, this.protocol));
      if (finished !== null) this.logger.warn({ ...finished }, 'Run decided by the sweep');
    }
  }
}
