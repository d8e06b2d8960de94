import type { INestApplication } from '@nestjs/common';
import { workerTransport, type JetStreamServer } from '@assay/messaging';
import { ableToWork, type SandboxProviders } from '@assay/sandbox';
import type { GraderConfig } from './config';
import { PROVIDERS } from './tokens';

/** The transport that claims grades and holds their leases. */
export function strategyOf(app: INestApplication, config: GraderConfig): JetStreamServer {
  return workerTransport(app, config, {
    slots: config.ASSAY_SLOTS,
    ready: () => ableToWork(app.get<SandboxProviders>(PROVIDERS)),
  });
}
