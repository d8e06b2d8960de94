import {
  Controller,
  type DynamicModule,
  type ExceptionFilter,
  type INestApplication,
  Module,
  type Type,
} from '@nestjs/common';
import { NestApplicationContextOptions } from '@nestjs/common/interfaces/nest-application-context-options.interface';
import { NestFactory } from '@nestjs/core';
import type { Timings, WorkKind } from '@assay/contracts';
import type { EventLog } from '../event-log';
import type { NatsLink } from '../nats/nats-link';
import { WorkHandler } from '../server/handlers';
import { JetStreamServer, type JetStreamServerOptions } from '../server/jetstream-server';
import type { WorkContext, WorkerOptions, WorkResult } from '../worker/work-types';
import { newWorkerId } from '../worker/worker-id';
import { BUILD, FAST } from './builders';

export interface AppOptions extends Partial<JetStreamServerOptions> {
  readonly link: NatsLink;
  readonly logger: EventLog;
  /** Global exception filters of the app, which the strategy's handlers inherit. */
  readonly filters?: ExceptionFilter[];
}

@Module({})
class Root {}

const QUIET = Object.assign(new NestApplicationContextOptions(), { logger: false as const });

/** A Nest app of these controllers over the real strategy, connected as the services do it. It listens when this resolves. */
export async function startApp(
  controllers: Type[],
  { filters = [], ...options }: AppOptions,
): Promise<INestApplication> {
  const strategy = new JetStreamServer({ timings: FAST, pullExpiresMs: 1000, stopGraceMs: 2000, ...options });
  const root: DynamicModule = { module: Root, controllers };
  const app = await NestFactory.create(root, QUIET);
  app.useGlobalFilters(...filters);
  app.connectMicroservice({ strategy }, { inheritAppConfig: filters.length > 0 });
  await app.startAllMicroservices();
  return app;
}

export interface TestWorkerOptions<K extends WorkKind> {
  readonly link: NatsLink;
  readonly logger: EventLog;
  readonly kind: K;
  readonly work: (context: WorkContext<K>) => Promise<WorkResult<K>>;
  readonly slots?: number;
  readonly timings?: Timings;
  readonly stopGraceMs?: number;
  readonly worker?: Partial<WorkerOptions>;
}

/** A worker of one kind whose work is what the test says. */
export async function startWorker<K extends WorkKind>(options: TestWorkerOptions<K>): Promise<INestApplication> {
  const { link, logger, kind, work, slots = 1, timings = FAST, stopGraceMs = 2000, worker } = options;
  @Controller()
  class Work {
    @WorkHandler(kind)
    handle(context: WorkContext<K>): Promise<WorkResult<K>> {
      return work(context);
    }
  }
  return await startApp([Work], {
    link,
    logger,
    timings,
    stopGraceMs,
    worker: { worker: newWorkerId(), buildDigest: BUILD, slots, ...worker },
  });
}
