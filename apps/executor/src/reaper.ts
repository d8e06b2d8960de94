import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { WorkerId } from '@assay/contracts';
import { RpcClient } from '@assay/messaging';
import { askedOnce, type SandboxProviders } from '@assay/sandbox';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { PROVIDERS, REAP_MS, WORKER } from './tokens';

/**
 * Removes what carries our labels and belongs to no live lease: at the start and every minute. Without an answer from the
 * coordinator only what is past its deadline goes.
 */
@Injectable()
export class Reaper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | null = null;
  private reaping: Promise<void> = Promise.resolve();

  constructor(
    @Inject(PROVIDERS) private readonly providers: SandboxProviders,
    @Inject(WORKER) private readonly worker: WorkerId,
    @Inject(REAP_MS) private readonly everyMs: number,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly rpc: RpcClient,
  ) {}

  onApplicationBootstrap(): void {
    const again = (): void => {
      this.reaping = this.reap();
    };
    this.timer = setInterval(again, this.everyMs);
    again();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.reaping;
  }

  /** Never rejects: what cannot be removed now is there at the next look. */
  async reap(): Promise<void> {
    for (const provider of this.providers.values()) {
      try {
        const isLive = askedOnce(async () => (await this.rpc.call('leases.live', { worker: this.worker })).live);
        const removed = await provider.reap(isLive).catch((error: unknown) => {
          this.logger.debug({ err: error }, 'Nobody could say which leases live; only the overdue is removed');
          return provider.reap(null);
        });
        if (removed > 0) this.logger.info({ sandbox: provider.name, removed }, 'Left-over sandboxes removed');
      } catch (error) {
        this.logger.warn({ sandbox: provider.name, err: error }, 'Left-over sandboxes could not be removed');
      }
    }
  }
}
