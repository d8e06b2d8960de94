import type { INestApplication } from '@nestjs/common';
import type { BuildDigest, Timings, WorkerId } from '@assay/contracts';
import { JetStreamServer, NatsLink } from '@assay/messaging';
import { BUILD_DIGEST, LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import type { PublisherConfig } from './config';
import { TIMINGS, WORKER } from './tokens';

/** GitHub wants writes one after another; a second slot only keeps one slow release from holding up the others. */
const SLOTS = 2;

/** The transport that claims publications and holds their leases. */
export function strategyOf(app: INestApplication, config: PublisherConfig): JetStreamServer {
  return new JetStreamServer({
    link: app.get(NatsLink),
    timings: app.get<Timings>(TIMINGS),
    logger: app.get<Logger>(LOGGER),
    worker: {
      worker: app.get<WorkerId>(WORKER),
      buildDigest: app.get<BuildDigest>(BUILD_DIGEST),
      slots: SLOTS,
    },
    stopGraceMs: config.ASSAY_STOP_GRACE_MS / 2,
  });
}
