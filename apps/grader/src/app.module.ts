import { mkdir } from 'node:fs/promises';
import { Module, type DynamicModule } from '@nestjs/common';
import { FileArtifactStore } from '@assay/artifacts';
import { scaleTimings, type Timings, type WorkerId } from '@assay/contracts';
import { connectNats, NatsLink, newWorkerId, RpcClient } from '@assay/messaging';
import { SandboxReaper, sandboxProviders, type SandboxProviders } from '@assay/sandbox';
import { reach, type ServiceKit } from '@assay/service-kit';
import type { GraderConfig } from './config';
import { ARTIFACTS, PROVIDERS, TIMINGS, WORK_DIR, WORKER } from './tokens';
import { GradeHandler } from './grade/grade.handler';
import { GradePreparer } from './grade/grade-preparer';
import { GradeUploader } from './grade/grade-uploader';

/** The one place where the grader's ports meet their adapters. */
@Module({})
export class AppModule {
  static of(config: GraderConfig, { readiness, logger }: ServiceKit): DynamicModule {
    const { ASSAY_NAMESPACE: namespace, NATS_URL, ASSAY_WORK_DIR: workDir } = config;
    const timings = scaleTimings(config.ASSAY_TIME_SCALE);
    const openLink = async (): Promise<NatsLink> => {
      const link = await reach('NATS', 'NATS_URL', NATS_URL, () =>
        connectNats({ url: NATS_URL, name: 'assay-grader', namespace }),
      );
      readiness.add('nats', () => {
        if (!link.connected) throw new Error('not connected');
      });
      return link;
    };
    const openProviders = async (): Promise<SandboxProviders> => {
      await mkdir(workDir, { recursive: true });
      const providers = sandboxProviders(config.ASSAY_SANDBOXES, {
        namespace,
        workDir,
        baseImage: config.ASSAY_BASE_IMAGE ?? null,
      });
      for (const provider of providers.values()) readiness.add(`sandbox ${provider.name}`, () => provider.check());
      return providers;
    };
    return {
      module: AppModule,
      controllers: [GradeHandler],
      providers: [
        { provide: TIMINGS, useValue: timings },
        { provide: WORK_DIR, useValue: workDir },
        { provide: WORKER, useValue: newWorkerId() },
        { provide: ARTIFACTS, useValue: new FileArtifactStore({ dir: config.ASSAY_ARTIFACTS_DIR, namespace }) },
        { provide: PROVIDERS, useFactory: openProviders },
        { provide: NatsLink, useFactory: openLink },
        {
          provide: RpcClient,
          inject: [NatsLink, TIMINGS],
          useFactory: (link: NatsLink, { rpcTimeoutMs }: Timings) => new RpcClient(link, rpcTimeoutMs),
        },
        {
          provide: SandboxReaper,
          inject: [PROVIDERS, RpcClient, WORKER],
          useFactory: (providers: SandboxProviders, rpc: RpcClient, worker: WorkerId) =>
            new SandboxReaper({
              providers,
              everyMs: config.ASSAY_REAP_SECONDS * 1000,
              logger,
              liveLeases: async () => (await rpc.call('leases.live', { worker })).live,
            }),
        },
        GradePreparer,
        GradeUploader,
      ],
    };
  }
}
