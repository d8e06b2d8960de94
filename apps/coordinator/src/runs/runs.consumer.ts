import { Controller, Inject } from '@nestjs/common';
import type { RunSubmittedMessage } from '@assay/contracts';
import { done, StreamConsumer, type Verdict } from '@assay/messaging';
import { Database, enqueueRun, type WorkProtocol } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { PROTOCOL } from '../tokens';

/** A run was submitted: all its trials become due. A second delivery opens nothing. */
@Controller()
export class RunsConsumer {
  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @StreamConsumer('run.submitted')
  async handle({ runId }: RunSubmittedMessage): Promise<Verdict> {
    const instances = await this.database.transaction((sql) => enqueueRun(sql, runId, this.protocol));
    if (instances > 0) this.logger.info({ runId, instances }, 'Run queued');
    return done();
  }
}
