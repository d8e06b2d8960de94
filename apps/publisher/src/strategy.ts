import type { INestApplication } from '@nestjs/common';
import { workerTransport, type JetStreamServer } from '@assay/messaging';
import type { PublisherConfig } from './config';

/** GitHub wants writes one after another; a second slot only keeps one slow release from holding up the others. */
const SLOTS = 2;

/** The transport that claims publications and holds their leases. */
export function strategyOf(app: INestApplication, config: PublisherConfig): JetStreamServer {
  return workerTransport(app, config, { slots: SLOTS });
}
