import type { AnnounceRequest } from '@assay/contracts';
import type { EventLog } from '../event-log';
import type { RpcClient } from '../rpc/rpc.client';
import { pause } from '../timing/pause';

/** Tells the coordinator at once and then every `everyMs` what this worker is, so that it can size its window. */
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
      try {
        await this.rpc.call('announce', this.request);
      } catch (error) {
        this.logger.debug({ worker: this.request.worker, err: error }, 'Announcement not answered');
      }
      await pause(this.everyMs, AbortSignal.any([this.stopping.signal, this.waiting.signal]));
    }
  }

  /** Announces again at once, e.g. after a new connection. */
  kick(): void {
    this.waiting.abort();
  }

  stop(): void {
    this.stopping.abort();
  }
}
