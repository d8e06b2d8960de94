import type { INestApplication } from '@nestjs/common';
import { workerTransport, type JetStreamServer } from '@assay/messaging';
import { ableToWork, type SandboxProviders } from '@assay/sandbox';
import type { ExecutorConfig } from './config';
import { modelAnswers } from './model/open-gateway';
import type { ListeningGateway } from './model/trial-models';
import { GATEWAY, PROVIDERS } from './tokens';

/** The transport that claims trials and holds their leases. */
export function strategyOf(app: INestApplication, config: ExecutorConfig): JetStreamServer {
  return workerTransport(app, config, {
    slots: config.ASSAY_SLOTS,
    ready: async () => {
      modelAnswers(app.get<ListeningGateway | null>(GATEWAY));
      await ableToWork(app.get<SandboxProviders>(PROVIDERS));
    },
  });
}
