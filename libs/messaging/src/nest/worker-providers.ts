import type { INestApplication, Provider } from '@nestjs/common';
import type { AppName, BuildDigest, Timings, WorkerId } from '@assay/contracts';
import { BUILD_DIGEST, LOGGER, type CommonConfig, type ServiceKit } from '@assay/service-kit';
import type { EventLog } from '../event-log';
import { NatsLink } from '../nats/nats-link';
import { RpcClient } from '../rpc/rpc.client';
import { JetStreamServer } from '../server/jetstream-server';
import type { WorkerOptions } from '../worker/work-types';
import { newWorkerId } from '../worker/worker-id';
import { natsProviders, TIMINGS } from './nats-providers';

/** Injection token of this process's `WorkerId`. */
export const WORKER = Symbol('WORKER');

/**
 * For the module of a worker: what `natsProviders` gives, the process's name as a worker (WORKER), and its way to ask the
 * coordinator (RpcClient).
 */
export function workerProviders(app: AppName, config: CommonConfig, kit: Pick<ServiceKit, 'readiness'>): Provider[] {
  return [
    ...natsProviders(app, config, kit),
    { provide: WORKER, useValue: newWorkerId() },
    {
      provide: RpcClient,
      inject: [NatsLink, TIMINGS],
      useFactory: (link: NatsLink, { rpcTimeoutMs }: Timings) => new RpcClient(link, rpcTimeoutMs),
    },
  ];
}

/** The transport of a service whose module has `workerProviders`: it claims the work that handlers take, and holds it. */
export function workerTransport(
  app: INestApplication,
  { ASSAY_STOP_GRACE_MS }: CommonConfig,
  options: Pick<WorkerOptions, 'slots' | 'ready'>,
): JetStreamServer {
  return new JetStreamServer({
    link: app.get(NatsLink),
    timings: app.get<Timings>(TIMINGS),
    logger: app.get<EventLog>(LOGGER),
    worker: { ...options, worker: app.get<WorkerId>(WORKER), buildDigest: app.get<BuildDigest>(BUILD_DIGEST) },
    stopGraceMs: ASSAY_STOP_GRACE_MS / 2,
  });
}
