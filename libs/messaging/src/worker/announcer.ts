import type { AnnounceRequest } from '@assay/contracts';
import type { EventLog } from '../event-log';
import type { RpcClient } from '../rpc/rpc.client';
import { pause } from '../timing/pause';

/**
 * Tells the coordinator at once and then every `everyMs` what this worker is, so that it can size its window. What nobody
 * answered is said again after a fifth of that: after an outage a worker may be back before the coordinator is.
 */
export class Announcer {
  private readonly stopping = new AbortController();
  private waiting = new AbortController();

  constructor(
    private readonly rpc: RpcClient,
    private readonly request: AnnounceRequest,
    private readonly everyMs: number,
    private readonly logger: EventLog,
  ) {}

  /** Announces until `stop`. Never rejects. */
  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.waiting = new AbortController();
      const heard = await this.announce();
      const over = AbortSignal.any([this.stopping.signal, this.waiting.signal]);
      await pause(heard ? this.everyMs : this.everyMs / 5, over);
    }
  }

  /** Announces again at once, e.g. after a new connection. */
  kick(): void {
    this.waiting.abort();
  }

  stop(): void {
    this.stopping.abort();
  }

  private async announce(): Promise<boolean> {
    try {
      await this.rpc.call('announce', this.request);
      return true;
    } catch (error) {
      this.logger.debug({ worker: this.request.worker, err: error }, 'Announcement not answered');
      return false;
    }
  }
}
