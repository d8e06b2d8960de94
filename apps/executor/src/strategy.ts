import type { INestApplication } from '@nestjs/common';
import type { Timings, WorkerId } from '@assay/contracts';
import { JetStreamServer, NatsLink } from '@assay/messaging';
import { ableToWork, type SandboxProviders } from '@assay/sandbox';
import { BUILD_DIGEST, LOGGER } from '@assay/service-kit';
import type { BuildDigest } from '@assay/contracts';
import type { Logger } from 'pino';
import type { ExecutorConfig } from './config';
import { modelAnswers } from './model/open-gateway';
import type { ListeningGateway } from './model/trial-models';
import { GATEWAY, PROVIDERS, TIMINGS, WORKER } from './tokens';

/** The transport that claims trials and holds their leases. */
export function strategyOf(app: INestApplication, config: ExecutorConfig): JetStreamServer {
  return new JetStreamServer({
    link: app.get(NatsLink),
    timings: app.get<Timings>(TIMINGS),
    logger: app.get<Logger>(LOGGER),
    worker: {
      worker: app.get<WorkerId>(WORKER),
      buildDigest: app.get<BuildDigest>(BUILD_DIGEST),
      slots: config.ASSAY_SLOTS,
      ready: async () => {
        modelAnswers(app.get<ListeningGateway | null>(GATEWAY));
        await ableToWork(app.get<SandboxProviders>(PROVIDERS));
      },
    },
    stopGraceMs: config.ASSAY_STOP_GRACE_MS / 2,
  });
}
