import type { ImageSource } from '@assay/contracts';
import type { SandboxLog } from './sandbox-log';
import type { NeededImages } from './sandbox-reaper';
import type { SandboxProvider } from './sandbox.port';

/** An image that a trial will want. */
export interface WantedImage {
  /** The instance of the trial, for the log. */
  readonly id: string;
  readonly image: ImageSource;
}

/** What is to come, and what open runs want at all. */
export interface ComingImages<T extends WantedImage> extends NeededImages {
  /** In the order in which they should be ready. */
  readonly next: readonly T[];
}

/** A task whose build context lies on this host. */
export interface OpenTask {
  /** Null where the image is ready and needs none. */
  readonly contextDir: string | null;
  close(): Promise<void>;
}

export interface ImagesAheadOptions<T extends WantedImage> {
  readonly provider: SandboxProvider;
  /** Asks what comes next: as many as shall be ready ahead. */
  readonly coming: () => Promise<ComingImages<T>>;
  /** Fetches the task of an image that is built. */
  readonly open: (wanted: T) => Promise<OpenTask>;
  /** Between two looks, milliseconds. */
  readonly everyMs: number;
  /** An image that could not be made is left alone for so long. Milliseconds, default 5 minutes. */
  readonly restMs?: number;
  readonly logger: SandboxLog;
}

const REST_MS = 300_000;

/**
 * Keeps the images of the trials that come next ready: a window that slides as trials begin. It works in the background,
 * claims know nothing of it, and what fails costs nothing but the time that a trial would have saved. Nest starts and
 * stops it.
 */
export class ImagesAhead<T extends WantedImage> {
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private readonly end = new AbortController();
  private readonly failedAt = new Map<string, number>();

  constructor(private readonly options: ImagesAheadOptions<T>) {}

  onApplicationBootstrap(): void {
    const again = (): void => {
      this.looking ??= this.look().finally(() => {
        this.looking = null;
      });
    };
    this.timer = setInterval(again, this.options.everyMs);
    again();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    this.end.abort(new Error('the worker stops'));
    await this.looking;
  }

  /** Makes ready what comes next, one after the other. Never rejects. */
  async look(): Promise<void> {
    const { coming, logger } = this.options;
    try {
      const answer = await this.unlessEnded(coming());
      if (answer === null) return;
      for (const wanted of answer.next) {
        if (this.end.signal.aborted) return;
        await this.makeReady(wanted, answer.complete ? answer.needed : null);
      }
    } catch (error) {
      logger.debug({ err: error }, 'Nobody could say which images come next');
    }
  }

  private async makeReady(wanted: T, needed: readonly ImageSource[] | null): Promise<void> {
    const { provider, logger } = this.options;
    const name = JSON.stringify(wanted.image);
    const fields = { instanceId: wanted.id, image: wanted.image };
    if (this.rests(name)) return;
    try {
      if (await provider.hasImage(wanted.image)) return;
      const started = Date.now();
      const outcome = await this.make(wanted, needed);
      if (outcome === 'made')
        logger.info({ ...fields, ms: Date.now() - started }, 'Image made ready ahead of its trial');
      else logger.debug({ ...fields, outcome }, 'Image not made ready ahead of its trial now');
    } catch (error) {
      if (this.end.signal.aborted) return;
      this.failedAt.set(name, Date.now());
      logger.warn(
        { ...fields, err: error },
        'Image could not be made ready ahead of its trial; the trial will try itself',
      );
    }
  }

  private async make(wanted: T, needed: readonly ImageSource[] | null) {
    const { provider, open } = this.options;
    const { signal } = this.end;
    if (wanted.image.kind === 'reference') return provider.prepareAhead(wanted.image, null, { needed, signal });
    const task = await open(wanted);
    try {
      return await provider.prepareAhead(wanted.image, task.contextDir, { needed, signal });
    } finally {
      await task.close();
    }
  }

  /** Null when the worker stops before the answer. */
  private async unlessEnded<R>(asked: Promise<R>): Promise<R | null> {
    const { signal } = this.end;
    let end: () => void = () => undefined;
    const ended = new Promise<null>((resolve) => {
      end = () => {
        resolve(null);
      };
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
    try {
      return await Promise.race([asked, ended]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  private rests(name: string): boolean {
    const { restMs = REST_MS } = this.options;
    const failedAt = this.failedAt.get(name);
    if (failedAt === undefined) return false;
    if (failedAt + restMs > Date.now()) return true;
    this.failedAt.delete(name);
    return false;
  }
}
