import { Module, type DynamicModule } from '@nestjs/common';
import { names, scaleTimings, type Timings } from '@assay/contracts';
import {
  ControlPublisher,
  JetStreamPublisher,
  NatsLink,
  natsProviders,
  StreamProvisioner,
  TIMINGS,
} from '@assay/messaging';
import { Database, FrozenManifests, type WorkProtocol } from '@assay/persistence';
import { openArtifacts, reach, type ServiceKit } from '@assay/service-kit';
import { ClosingDatabase } from './closing-database';
import type { CoordinatorConfig } from './config';
import { NotificationsController } from './notifications/notifications.controller';
import { Relay } from './relay/relay';
import { ArtifactCheck } from './results/artifact-check';
import { ResultRecorder } from './results/result-recorder';
import { ResultsConsumer } from './results/results.consumer';
import { RunsConsumer } from './runs/runs.consumer';
import { StreamKeeper } from './streams/stream-keeper';
import { ChainMender } from './sweep/chain-mender';
import { LeaseSweep } from './sweep/lease-sweep';
import { OutboxPruner } from './sweep/outbox-pruner';
import { QuietPeriod } from './sweep/quiet-period';
import { Republisher } from './sweep/republisher';
import { RunBudgets } from './sweep/run-budgets';
import { RunMender } from './sweep/run-mender';
import type { SweepStep } from './sweep/sweep-step.port';
import { Sweeper } from './sweep/sweeper';
import { ARTIFACTS, NAMES, PROTOCOL, SWEEP_STEPS } from './tokens';
import { Cancellation } from './work/cancellation';
import { Claims } from './work/claims';
import { Heartbeats } from './work/heartbeats';
import { NeededImages } from './work/needed-images';
import { WorkController } from './work/work.controller';

/** The one place where the coordinator's ports meet their adapters. */
@Module({})
export class AppModule {
  static of(config: CoordinatorConfig, kit: ServiceKit): DynamicModule {
    const { logger, readiness } = kit;
    const { ASSAY_NAMESPACE: namespace, DATABASE_URL: url } = config;
    const timings = scaleTimings(config.ASSAY_TIME_SCALE);
    const openDatabase = async (): Promise<Database> => {
      const database = await reach('PostgreSQL', 'DATABASE_URL', url, () =>
        Database.open({ url, namespace, poolSize: 20 }),
      );
      await database.migrate();
      readiness.add('database', () => database.query('select 1'));
      return database;
    };
    const provide = [
      ...natsProviders('coordinator', config, kit),
      { provide: NAMES, useValue: names(namespace) },
      { provide: ARTIFACTS, useFactory: () => openArtifacts(config, readiness) },
      {
        provide: PROTOCOL,
        useValue: { manifests: new FrozenManifests(), timings, names: names(namespace) } satisfies WorkProtocol,
      },
      { provide: Database, useFactory: openDatabase },
      {
        provide: StreamProvisioner,
        inject: [NatsLink],
        useFactory: (link: NatsLink) => new StreamProvisioner({ link, timings, logger }),
      },
      {
        provide: JetStreamPublisher,
        inject: [NatsLink],
        useFactory: (link: NatsLink) => new JetStreamPublisher(link, timings.rpcTimeoutMs),
      },
      { provide: ControlPublisher, inject: [NatsLink], useFactory: (link: NatsLink) => new ControlPublisher(link) },
      { provide: QuietPeriod, inject: [TIMINGS], useFactory: (all: Timings) => new QuietPeriod(all.leaseMs) },
    ];
    return {
      module: AppModule,
      controllers: [WorkController, NotificationsController, ResultsConsumer, RunsConsumer],
      providers: [
        ...provide,
        ArtifactCheck,
        Cancellation,
        ChainMender,
        Claims,
        ClosingDatabase,
        Heartbeats,
        LeaseSweep,
        NeededImages,
        OutboxPruner,
        Relay,
        Republisher,
        ResultRecorder,
        RunBudgets,
        StreamKeeper,
        RunMender,
        {
          provide: SWEEP_STEPS,
          inject: [StreamKeeper, LeaseSweep, RunBudgets, RunMender, ChainMender, Republisher, OutboxPruner],
          useFactory: (...steps: SweepStep[]) => steps,
        },
        Sweeper,
      ],
    };
  }
}
