import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { KNOWN_AGENTS } from '@assay/agents';
import type { ArtifactStore } from '@assay/artifacts';
import { type BuildDigest, scaleTimings } from '@assay/contracts';
import { connectNats, NatsLink, RpcClient } from '@assay/messaging';
import { Database } from '@assay/persistence';
import { BUILD_DIGEST, LOGGER, openArtifacts, Readiness } from '@assay/service-kit';
import type { Logger } from 'pino';
import { ArtifactsController } from './artifacts/artifacts.controller';
import { ARTIFACTS } from './artifacts/artifacts-token';
import { AuditController } from './auth/audit/audit.controller';
import { authParts } from './auth/auth-parts';
import { TokensController } from './auth/tokens/tokens.controller';
import type { Config } from './config';
import { SchemaGate } from './database/schema-gate';
import { DatabaseShutdown } from './database/database-shutdown';
import { ExpectedSuites } from './edge/expected-suites';
import { ReleaseIntake } from './edge/release-intake';
import { ReleasesController } from './edge/releases.controller';
import { KeysController, PUBLIC_KEYS } from './keys/keys.controller';
import { pollTimings } from './polling/poll-timings.policy';
import { PackageRegistry } from './polling/package-registry';
import { Poller } from './polling/poller';
import { RunFreezer } from './polling/run-freezer';
import { preflightOf } from './preflight/preflight-of';
import { PredictionIntake } from './predictions/prediction-intake';
import { PredictionsController } from './predictions/predictions.controller';
import { Probes } from './probes';
import { GithubReleaseClient } from './releases/github-release.client';
import { RELEASES, type ReleaseLookup } from './releases/release-lookup.port';
import { Cancellations } from './runs/cancellations';
import { RunReader } from './runs/run-reader';
import { RunsController } from './runs/runs.controller';
import { Submissions } from './runs/submissions';

import { SuiteLibrary } from './suites/suite-library';
import { SuitesController } from './suites/suites.controller';

/** Where every port meets its adapter. */
@Module({})
export class AppModule {
  static of(config: Config): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        TokensController,
        AuditController,
        RunsController,
        ReleasesController,
        ArtifactsController,
        PredictionsController,
        SuitesController,
        KeysController,
      ],
      providers: [...servers(config), ...adapters(config), ...authParts(config), ...ownParts(config)],
    };
  }
}

function servers(config: Config): Provider[] {
  const { NATS_URL: natsUrl, DATABASE_URL: databaseUrl, ASSAY_NAMESPACE: namespace } = config;
  return [
    { provide: NatsLink, useFactory: () => connectNats({ url: natsUrl, name: 'assay-dispatcher', namespace }) },
    {
      provide: Database,
      // One after the other, so that whichever is away leaves no connection to the other behind.
      inject: [NatsLink],
      useFactory: (link: NatsLink) =>
        Database.open({ url: databaseUrl, namespace }).catch(async (error: unknown) => {
          await link.close();
          throw error;
        }),
    },
    DatabaseShutdown,
  ];
}

function adapters(config: Config): Provider[] {
  const { GITHUB_API_URL: githubUrl } = config;
  const timings = scaleTimings(config.ASSAY_TIME_SCALE);
  return [
    {
      provide: ARTIFACTS,
      inject: [Readiness],
      useFactory: (readiness: Readiness) => openArtifacts(config, readiness),
    },
    {
      provide: RELEASES,
      useValue: githubUrl === undefined ? null : new GithubReleaseClient(githubUrl, config.GITHUB_TOKEN_FILE ?? null),
    },
    {
      provide: RpcClient,
      inject: [NatsLink],
      useFactory: (link: NatsLink) => new RpcClient(link, timings.rpcTimeoutMs),
    },
  ];
}

function ownParts(config: Config): Provider[] {
  const timings = scaleTimings(config.ASSAY_TIME_SCALE);
  const polling = pollTimings(config.ASSAY_TIME_SCALE, {
    packagePollSeconds: config.ASSAY_PACKAGE_POLL_SECONDS,
    packageLateSeconds: config.ASSAY_PACKAGE_LATE_MINUTES * 60,
    packageWaitSeconds: config.ASSAY_PACKAGE_WAIT_MINUTES * 60,
  });
  return [
    Probes,
    { provide: PUBLIC_KEYS, useValue: config.ASSAY_PUBLIC_KEYS_FILE ?? { keys: [] } },
    SchemaGate,
    Submissions,
    PredictionIntake,
    Cancellations,
    {
      provide: SuiteLibrary,
      useValue: new SuiteLibrary(config.ASSAY_SUITES_DIR, KNOWN_AGENTS, config.ASSAY_DATA_DIR ?? null),
    },
    { provide: RunReader, inject: [Database], useFactory: (database: Database) => new RunReader(database, timings) },
    {
      provide: RunFreezer,
      inject: [Database, SuiteLibrary, ARTIFACTS, RELEASES, BUILD_DIGEST],
      useFactory: (
        database: Database,
        library: SuiteLibrary,
        artifacts: ArtifactStore,
        releases: ReleaseLookup | null,
        buildDigest: BuildDigest,
      ) =>
        new RunFreezer({
          ...{ database, library, artifacts, releases, buildDigest },
          packages: new PackageRegistry(config.NPM_CONFIG_REGISTRY ?? null),
          preflight: preflightOf(config),
          sandbox: config.ASSAY_DEFAULT_SANDBOX,
        }),
    },
    {
      provide: Poller,
      inject: [Database, SchemaGate, RunFreezer, LOGGER],
      useFactory: (database: Database, gate: SchemaGate, freezer: RunFreezer, logger: Logger) =>
        new Poller({ database, gate, freezer, logger, timings: polling }),
    },
    {
      provide: ReleaseIntake,
      inject: [Database, SuiteLibrary, RELEASES, Poller, LOGGER],
      useFactory: (
        database: Database,
        library: SuiteLibrary,
        releases: ReleaseLookup | null,
        poller: Poller,
        logger: Logger,
      ) =>
        new ReleaseIntake({
          ...{ database, releases, poller, logger },
          policy: config.ASSAY_POLICY_FILE?.policy ?? null,
          suites: new ExpectedSuites(library),
          defaultModel: config.ASSAY_DEFAULT_MODEL,
        }),
    },
  ];
}
