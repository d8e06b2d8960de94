import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import type { WorkerId } from '@assay/contracts';
import { RpcClient, WORKER, workerProviders } from '@assay/messaging';
import { SandboxReaper, sandboxProviders, Scratch, type SandboxProviders } from '@assay/sandbox';
import { dockerOptions, openArtifacts, type ServiceKit } from '@assay/service-kit';
import type { GraderConfig } from './config';
import { ARTIFACTS, PROVIDERS } from './tokens';
import { GradeHandler } from './grade/grade.handler';
import { GradePreparer } from './grade/grade-preparer';
import { GradeUploader } from './grade/grade-uploader';

/** The one place where the grader's ports meet their adapters. */
@Module({})
export class AppModule {
  static of(config: GraderConfig, kit: ServiceKit): DynamicModule {
    const { readiness, logger } = kit;
    const { ASSAY_NAMESPACE: namespace, ASSAY_WORK_DIR: workDir } = config;
    const openProviders = async (): Promise<SandboxProviders> => {
      await mkdir(workDir, { recursive: true });
      const providers = sandboxProviders(config.ASSAY_SANDBOXES, {
        namespace,
        workDir,
        logger,
        ...dockerOptions(config),
      });
      for (const provider of providers.values()) readiness.add(`sandbox ${provider.name}`, () => provider.check());
      return providers;
    };
    return {
      module: AppModule,
      controllers: [GradeHandler],
      providers: [
        ...workerProviders('grader', config, kit),
        { provide: Scratch, useFactory: () => openScratch(join(workDir, 'grades')) },
        { provide: ARTIFACTS, useFactory: () => openArtifacts(config, readiness) },
        { provide: PROVIDERS, useFactory: openProviders },
        {
          provide: SandboxReaper,
          inject: [PROVIDERS, RpcClient, WORKER, Scratch],
          useFactory: (providers: SandboxProviders, rpc: RpcClient, worker: WorkerId, scratch: Scratch) =>
            new SandboxReaper({
              providers,
              everyMs: config.ASSAY_REAP_SECONDS * 1000,
              logger,
              liveLeases: async () => (await rpc.call('leases.live', { worker })).live,
              neededImages: () => rpc.call('images.needed', { worker, next: 0 }),
              sweepFolders: () => scratch.sweep(),
            }),
        },
        GradePreparer,
        GradeUploader,
      ],
    };
  }
}

/** What a grader that was killed left of its grades is removed before the first of ours. */
async function openScratch(home: string): Promise<Scratch> {
  const scratch = new Scratch(home);
  await scratch.sweep();
  return scratch;
}
