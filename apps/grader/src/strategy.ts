import type { INestApplication } from '@nestjs/common';
import type { Timings, WorkerId } from '@assay/contracts';
import { JetStreamServer, NatsLink } from '@assay/messaging';
import { ableToWork, type SandboxProviders } from '@assay/sandbox';
import { BUILD_DIGEST, LOGGER } from '@assay/service-kit';
import type { BuildDigest } from '@assay/contracts';
import type { Logger } from 'pino';
import type { GraderConfig } from './config';
import { PROVIDERS, TIMINGS, WORKER } from './tokens';

/** The transport that claims grades and holds their leases. */
export function strategyOf(app: INestApplication, config: GraderConfig): JetStreamServer {
  return new JetStreamServer({
    link: app.get(NatsLink),
    timings: app.get<Timings>(TIMINGS),
    logger: app.get<Logger>(LOGGER),
    worker: {
      worker: app.get<WorkerId>(WORKER),
      buildDigest: app.get<BuildDigest>(BUILD_DIGEST),
      slots: config.ASSAY_SLOTS,
      ready: () => ableToWork(app.get<SandboxProviders>(PROVIDERS)),
    },
    stopGraceMs: config.ASSAY_STOP_GRACE_MS / 2,
  });
}
