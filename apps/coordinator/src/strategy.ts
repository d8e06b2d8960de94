import type { INestApplication } from '@nestjs/common';
import { JetStreamServer, NatsLink, TIMINGS } from '@assay/messaging';
import { LOGGER } from '@assay/service-kit';
import type { Timings } from '@assay/contracts';
import type { Logger } from 'pino';
import type { CoordinatorConfig } from './config';

/** The transport that feeds the coordinator's handlers. */
export function strategyOf(app: INestApplication, config: CoordinatorConfig): JetStreamServer {
  return new JetStreamServer({
    link: app.get(NatsLink),
    timings: app.get<Timings>(TIMINGS),
    logger: app.get<Logger>(LOGGER),
    stopGraceMs: config.ASSAY_STOP_GRACE_MS / 2,
    // A pull that waits is what an idle coordinator has to end before it may stop.
    pullExpiresMs: 1_000,
  });
}
