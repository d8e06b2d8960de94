import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import { NestApplicationContextOptions } from '@nestjs/common/interfaces/nest-application-context-options.interface';
import { NestFactory } from '@nestjs/core';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AppName } from '@assay/contracts';
import { createLogger, startTelemetry } from '@assay/telemetry';
import type { DestinationStream } from 'pino';
import type { z } from 'zod';
import { buildDigest } from './build-digest';
import type { CommonConfig } from './common-config';
import { ErrorReplies } from './error-replies';
import { HttpServerAdapter, type HttpServing } from './http-server';
import { traceRequests } from './http-tracing';
import { refuseDeepJson } from './json-depth';
import { KitModule, type AnyModule, type ServiceKit } from './kit.module';
import { loadConfig } from './load-config';
import { knownMethod, type Route } from './known-method';
import { NestLogger } from './nest-logger';
import { Readiness } from './readiness';
import { listenFailure } from './start-error';
import { unreadableBody } from './unreadable-body';
import { ZodValidation } from './zod-validation';

/** Everything that makes one service. */
export interface ServiceDefinition<Config extends CommonConfig> {
  readonly name: AppName;
  readonly config: z.ZodType<Config>;
  /** The service's root module. */
  readonly module: (config: Config, kit: ServiceKit) => AnyModule;
  /** The transport that feeds its message handlers; its `close` first stops taking work. */
  readonly strategy?: (app: NestExpressApplication, config: Config) => CustomTransportStrategy;
  /** How its HTTP server listens; without it, as Node does by itself: plain, with Node's own bounds. */
  readonly serving?: (config: Config, kit: ServiceKit) => Promise<HttpServing>;
  /** What stands before everything else of the HTTP side: bounds, counts, records. */
  readonly edge?: (app: NestExpressApplication, config: Config) => void;
  /** Further layout of the HTTP side, before it listens: documentation pages and the like. */
  readonly http?: (app: NestExpressApplication, config: Config) => void;
}

/** A service that runs. */
export interface RunningService<Config extends CommonConfig = CommonConfig> extends ServiceKit {
  readonly config: Config;
  readonly app: NestExpressApplication;
  /** `http://host:port`, with the port that was really taken. */
  readonly url: string;
  /** Stops taking work, closes the transport, then HTTP and the modules, then sends what telemetry holds. Once. */
  readonly stop: () => Promise<void>;
}

/** Bytes of a JSON body that any service reads at most. */
const BODY_LIMIT = 64 * 1024;

/**
 * Starts a service inside this process: settings, telemetry, logger, HTTP, and last its transport. Rejects with
 * ConfigError, StartError or what a module threw; nothing is left running then. `bootService` is this and the duties of
 * a process (signals, exit codes).
 */
export async function startService<Config extends CommonConfig>(
  definition: ServiceDefinition<Config>,
  env: NodeJS.ProcessEnv,
  logTo?: DestinationStream,
): Promise<RunningService<Config>> {
  const config = loadConfig(definition.config, env);
  const logger = createLogger(definition.name, config.ASSAY_LOG_LEVEL, logTo);
  const onProblem = (problem: string): void => {
    logger.warn({ problem }, 'telemetry has a problem');
  };
  const telemetry = startTelemetry({ service: `assay-${definition.name}`, env, onProblem });
  const kit: ServiceKit = {
    logger,
    readiness: new Readiness(definition.name),
    buildDigest: buildDigest(env),
  };
  const nest = Object.assign(new NestApplicationContextOptions(), {
    logger: new NestLogger(kit.logger),
    abortOnError: false,
    bodyParser: false,
  });
  const app = await created(definition, config, kit, nest).catch(async (error: unknown) => {
    await telemetry.shutdown();
    throw error;
  });
  const closeTransport = connected(app, definition, config);
  const stop = once(async () => {
    kit.readiness.stopping();
    await inOrder(closeTransport, () => closeHttp(app), telemetry.shutdown);
  });
  try {
    app.disable('x-powered-by');
    definition.edge?.(app, config);
    prepareHttp(app, kit);
    definition.http?.(app, config);
    const url = await listen(app, config);
    await app.startAllMicroservices();
    kit.readiness.serving();
    kit.logger.info({ url, buildDigest: kit.buildDigest, tracing: telemetry.exporting }, 'service started');
    return { ...kit, config, app, url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function created<Config extends CommonConfig>(
  definition: ServiceDefinition<Config>,
  config: Config,
  kit: ServiceKit,
  nest: NestApplicationContextOptions,
): Promise<NestExpressApplication> {
  const serving = await definition.serving?.(config, kit);
  const root = KitModule.of(kit, definition.module(config, kit));
  return serving === undefined
    ? NestFactory.create<NestExpressApplication>(root, nest)
    : NestFactory.create<NestExpressApplication>(root, new HttpServerAdapter(serving), nest);
}

function httpServer(app: NestExpressApplication): Server {
  return app.getHttpServer();
}

function prepareHttp(app: NestExpressApplication, { logger }: ServiceKit): void {
  app.use(
    traceRequests(logger),
    knownMethod(() => routesOf(app)),
  );
  app.useBodyParser('json', { limit: BODY_LIMIT, inflate: false, verify: refuseDeepJson });
  app.use(unreadableBody);
  app.useGlobalPipes(new ZodValidation());
  app.useGlobalFilters(new ErrorReplies(logger));
}

/** What Express routes: each layer of its router that carries a route. */
function routesOf(app: NestExpressApplication): Route[] {
  const { router } = app.getHttpAdapter().getInstance() as { router: { stack: Partial<Route>[] } };
  return router.stack.filter((layer): layer is Route => layer.route !== undefined);
}

async function listen(app: NestExpressApplication, config: CommonConfig): Promise<string> {
  const { ASSAY_HTTP_HOST: host, ASSAY_HTTP_PORT: port } = config;
  await app.listen(port, host).catch((error: unknown) => {
    throw listenFailure(error, host, port);
  });
  const server = httpServer(app);
  const { port: taken } = server.address() as AddressInfo;
  const scheme = server instanceof TlsServer ? 'https' : 'http';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}

/** Hands Nest the transport, and answers how to close it: once, whoever asks (Nest asks again at its own close). */
function connected<Config extends CommonConfig>(
  app: NestExpressApplication,
  { strategy: make }: ServiceDefinition<Config>,
  config: Config,
): () => Promise<void> {
  if (make === undefined) return () => Promise.resolve();
  const strategy = make(app, config);
  const close = strategy.close.bind(strategy) as () => unknown;
  const closeOnce = once(async () => {
    await close();
  });
  strategy.close = closeOnce;
  app.connectMicroservice({ strategy }, { inheritAppConfig: true });
  return closeOnce;
}

/** Lets the requests that run end; connections that idle meanwhile are cut, so that none keeps the server open. */
async function closeHttp(app: NestExpressApplication): Promise<void> {
  const server = httpServer(app);
  const cutting = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  try {
    await app.close();
  } finally {
    clearInterval(cutting);
  }
}

/** Does every step, also after one that failed; then rejects with the first failure. */
async function inOrder(...steps: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | null = null;
  return () => (begun ??= work());
}
