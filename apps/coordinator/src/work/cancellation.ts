import { Inject, Injectable } from '@nestjs/common';
import type { CancelRunReply, RunId } from '@assay/contracts';
import { ControlPublisher, StreamProvisioner } from '@assay/messaging';
import { cancelRun, Database, type WorkProtocol } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { PROTOCOL } from '../tokens';

/** Cancels runs: the state first, then whoever works on it is told. The heartbeat is the backstop. */
@Injectable()
export class Cancellation {
  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    private readonly streams: StreamProvisioner,
    private readonly control: ControlPublisher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async cancel(runId: RunId): Promise<CancelRunReply> {
    const cancelled = await this.database.transaction((sql) => cancelRun(sql, runId, this.protocol));
    if (cancelled === null) return { answer: 'unknown' };
    this.logger.info({ runId, ...cancelled }, 'Run cancelled');
    if (cancelled.cancelledInstances > 0) await this.tell(runId);
    return { answer: 'ok', runId, ...cancelled };
  }

  private async tell(runId: RunId): Promise<void> {
    try {
      this.control.cancel({ runId, instanceId: null });
      await this.streams.purgeRun(runId);
    } catch (error) {
      this.logger.warn({ runId, err: error }, 'Workers could not be told of a cancelled run; their heartbeats will');
    }
  }
}
