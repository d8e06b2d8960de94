import type Docker from 'dockerode';
import type { Namespace } from '@assay/contracts';
import type { SandboxLog } from '../../sandbox-log';
import { firstOf } from '../first-of';
import { helperImage, type HelperContent } from '../sidecar/forwarder-image';
import { DiskLooker, type DiskSight } from './disk-looker';

/** An engine that lets nobody look is asked again after this. Milliseconds. */
const REST_MS = 60_000;

/** Making its image takes some seconds once on an engine. Milliseconds. */
const STARTING_MS = 10_000;

export interface EngineDiskOptions {
  readonly namespace: Namespace;
  /** Of the image in which it is looked. */
  readonly content: HelperContent;
  readonly logger: SandboxLog;
}

/** Sees the disk of the engine for all sandboxes of a worker. Its looker is started when the first of them asks. */
export class EngineDisk {
  private looker: DiskLooker | null = null;
  private starting: Promise<void> | null = null;
  private under: Promise<unknown> = Promise.resolve();
  private next: Promise<DiskSight | null> | null = null;
  private turns: Promise<unknown> = Promise.resolve();
  private restsUntil = 0;
  private closed = false;

  constructor(
    private readonly docker: Docker,
    private readonly options: EngineDiskOptions,
  ) {}

  /**
   * A look that begins after this call; who asks before it begins shares it. Null as long as the looker is not there, so
   * that nobody waits for its start, and where the engine lets nobody look.
   */
  look(): Promise<DiskSight | null> {
    this.next ??= this.after(this.under);
    return this.next;
  }

  /**
   * What files below a folder of the engine take up, as `DiskLooker.weigh` says it; null too where nobody looks. A looker
   * that is being started is waited for, but not long: what is to be weighed may grow.
   */
  async weigh(dir: string, maxBytes: number): Promise<number | null> {
    if (this.starting !== null) await firstOf(this.starting, STARTING_MS);
    try {
      return (await this.looker?.weigh(dir, maxBytes)) ?? null;
    } catch {
      return null; // the next look tells why
    }
  }

  /** Runs what changes the free space so that nobody else of this worker does so meanwhile. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.turns.then(work);
    this.turns = turn.catch(() => undefined); // told to whose turn it is
    return turn;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.starting;
    await this.under;
    await this.forget();
  }

  private async after(earlier: Promise<unknown>): Promise<DiskSight | null> {
    await earlier;
    const looking = this.tried();
    this.under = looking;
    this.next = null;
    return looking;
  }

  private async tried(): Promise<DiskSight | null> {
    if (this.looker === null) {
      this.begin();
      return null;
    }
    try {
      return await this.looker.look();
    } catch (error) {
      this.rest(error);
      await this.forget().catch(() => undefined); // ends with this process, or is reaped
      return null;
    }
  }

  private begin(): void {
    if (this.closed || this.starting !== null || Date.now() < this.restsUntil) return;
    this.starting = this.start()
      .catch((error: unknown) => {
        this.rest(error);
      })
      .finally(() => {
        this.starting = null;
      });
  }

  private async start(): Promise<void> {
    const { namespace, content } = this.options;
    const image = await helperImage(this.docker, namespace, content);
    this.looker = await DiskLooker.start(this.docker, namespace, image);
  }

  private rest(error: unknown): void {
    this.restsUntil = Date.now() + REST_MS;
    const sentence = 'Nobody can look at what sandboxes hold on the disk; only files with a name are counted';
    this.options.logger.warn({ err: error }, sentence);
  }

  private async forget(): Promise<void> {
    const { looker } = this;
    this.looker = null;
    await looker?.remove();
  }
}
