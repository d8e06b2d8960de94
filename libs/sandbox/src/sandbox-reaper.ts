import type { ImageSource, WorkKey } from '@assay/contracts';
import { askedOnce } from './reaping';
import type { SandboxLog } from './sandbox-log';
import type { SandboxProvider } from './sandbox.port';
import type { SandboxProviders } from './sandbox-providers';

/** What open runs want. */
export interface NeededImages {
  readonly needed: readonly ImageSource[];
  /** False: they want others, too. */
  readonly complete: boolean;
}

export interface SandboxReaperOptions {
  readonly providers: SandboxProviders;
  /** Asks the coordinator which leases live. */
  readonly liveLeases: () => Promise<readonly { key: WorkKey; epoch: number }[]>;
  /** Asks which images open runs want; where it is absent, fails or is not complete, only what was not used for hours may go. */
  readonly neededImages?: () => Promise<NeededImages>;
  /** Removes folders of this host that belong to no living process, and tells how many; absent: there are none. */
  readonly sweepFolders?: () => Promise<number>;
  /** Between two looks, milliseconds. */
  readonly everyMs: number;
  readonly logger: SandboxLog;
}

/**
 * Removes what carries our labels and belongs to no live lease: at the start and again and again. Without an answer from
 * the coordinator only what is past its deadline goes. Nest starts and stops it.
 */
export class SandboxReaper {
  private timer: NodeJS.Timeout | null = null;
  private reaping: Promise<void> | null = null;

  constructor(private readonly options: SandboxReaperOptions) {}

  onApplicationBootstrap(): void {
    const again = (): void => {
      this.reaping ??= this.reap().finally(() => {
        this.reaping = null;
      });
    };
    this.timer = setInterval(again, this.options.everyMs);
    again();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.reaping;
    await Promise.all([...this.options.providers.values()].map((provider) => this.closed(provider)));
  }

  private async closed(provider: SandboxProvider): Promise<void> {
    await provider.close().catch((error: unknown) => {
      this.options.logger.warn({ sandbox: provider.name, err: error }, 'What was held ready could not be removed');
    });
  }

  /** Never rejects: what cannot be removed now is there at the next look. */
  async reap(): Promise<void> {
    const { providers, liveLeases, logger } = this.options;
    for (const provider of providers.values()) {
      try {
        const removed = await provider.reap(askedOnce(liveLeases)).catch((error: unknown) => {
          logger.debug({ err: error }, 'Nobody could say which leases live; only the overdue is removed');
          return provider.reap(null);
        });
        if (removed > 0) logger.info({ sandbox: provider.name, removed }, 'Left-over sandboxes removed');
      } catch (error) {
        logger.warn({ sandbox: provider.name, err: error }, 'Left-over sandboxes could not be removed');
      }
      await this.tidyImages(provider);
    }
    await this.sweepFolders();
  }

  private async sweepFolders(): Promise<void> {
    const { sweepFolders, logger } = this.options;
    try {
      const removed = (await sweepFolders?.()) ?? 0;
      if (removed > 0) logger.info({ removed }, 'Left-over folders removed');
    } catch (error) {
      logger.warn({ err: error }, 'Left-over folders could not be removed');
    }
  }

  private async tidyImages(provider: SandboxProvider): Promise<void> {
    const { logger } = this.options;
    try {
      const removed = await provider.tidyImages(await this.needed());
      if (removed > 0) logger.info({ sandbox: provider.name, removed }, 'Images beyond the budget removed');
    } catch (error) {
      logger.warn({ sandbox: provider.name, err: error }, 'Images beyond the budget could not be removed');
    }
  }

  /** Null: nobody can say, or not of all. */
  private async needed(): Promise<readonly ImageSource[] | null> {
    const { neededImages, logger } = this.options;
    try {
      const answer = await neededImages?.();
      return answer?.complete === true ? answer.needed : null;
    } catch (error) {
      logger.debug({ err: error }, 'Nobody could say which images are needed; only those that rested for hours may go');
      return null;
    }
  }
}
