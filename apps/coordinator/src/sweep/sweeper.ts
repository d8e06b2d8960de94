import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Timings } from '@assay/contracts';
import { TIMINGS } from '@assay/messaging';
import { Database, exclusively } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { SWEEP_STEPS } from '../tokens';
import { QuietPeriod } from './quiet-period';
import type { SweepStep } from './sweep-step.port';

/** Every sweep interval, in one coordinator at a time: mends whatever a lost message or a dead worker left behind. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | null = null;
  private sweeping: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly database: Database,
    @Inject(TIMINGS) private readonly timings: Timings,
    private readonly quiet: QuietPeriod,
    @Inject(SWEEP_STEPS) private readonly steps: readonly SweepStep[],
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
    this.quiet.notice();
    try {
      await exclusively(this.database, 'sweep', async () => {
        for (const step of this.steps) await step.sweep();
      });
    } catch (error) {
      this.quiet.extend();
      this.logger.error({ err: error }, 'A sweep failed; leases are left alone for a while');
    }
  }

  private plan(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.sweeping = this.sweep().finally(() => {
        this.plan();
      });
    }, this.timings.sweepMs);
  }
}
