import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { AgentLayers } from '@assay/agents';
import type { NextImage, WorkerId } from '@assay/contracts';
import { RpcClient, WORKER, workerProviders } from '@assay/messaging';
import { FORWARDER_FILE } from '@assay/model-gateway';
import { ImagesAhead, SandboxReaper, sandboxProviders, Scratch, type SandboxProviders } from '@assay/sandbox';
import { dockerOptions, openArtifacts, type ServiceKit } from '@assay/service-kit';
import type { ExecutorConfig } from './config';
import { NextTasks } from './images/next-tasks';
import { GatewayFolders } from './model/gateway-folders';
import { GatewayShutdown } from './model/gateway-shutdown';
import { openGateway } from './model/open-gateway';
import { type ListeningGateway, TrialModels } from './model/trial-models';
import { ARTIFACTS, GATEWAY, PROVIDERS } from './tokens';
import { TrialHandler } from './trial/trial.handler';
import { TrialPreparer } from './trial/trial-preparer';
import { TrialUploader } from './trial/trial-uploader';

/** Between two looks at which images come next, and the least that a time scale makes of it. */
const LOOK_AHEAD_MS = 10_000;
const LEAST_LOOK_MS = 250;

/** The one place where the executor's ports meet their adapters. */
@Module({})
export class AppModule {
  static of(config: ExecutorConfig, kit: ServiceKit): DynamicModule {
    const { readiness, logger } = kit;
    const { ASSAY_NAMESPACE: namespace, ASSAY_WORK_DIR: workDir } = config;
    const openProviders = async (): Promise<SandboxProviders> => {
      await mkdir(workDir, { recursive: true });
      const providers = sandboxProviders(config.ASSAY_SANDBOXES, {
        namespace,
        workDir,
        logger,
        ...dockerOptions(config),
        forwarder: { node: process.execPath, program: FORWARDER_FILE },
      });
      for (const provider of providers.values()) readiness.add(`sandbox ${provider.name}`, () => provider.check());
      return providers;
    };
    return {
      module: AppModule,
      controllers: [TrialHandler],
      providers: [
        ...workerProviders('executor', config, kit),
        { provide: GatewayFolders, useFactory: () => openGatewayFolders(config) },
        {
          provide: GATEWAY,
          inject: [GatewayFolders],
          useFactory: (folders: GatewayFolders) => openGateway(config, folders, logger),
        },
        {
          provide: TrialModels,
          inject: [GATEWAY],
          useFactory: (listening: ListeningGateway | null) => new TrialModels(listening),
        },
        { provide: AgentLayers, useValue: new AgentLayers(layersDir(config)) },
        GatewayShutdown,
        { provide: ARTIFACTS, useFactory: () => openArtifacts(config, readiness) },
        { provide: PROVIDERS, useFactory: openProviders },
        {
          provide: SandboxReaper,
          inject: [PROVIDERS, RpcClient, WORKER, GatewayFolders, Scratch],
          useFactory: (
            providers: SandboxProviders,
            rpc: RpcClient,
            worker: WorkerId,
            gateways: GatewayFolders,
            scratch: Scratch,
          ) =>
            new SandboxReaper({
              providers,
              everyMs: config.ASSAY_REAP_SECONDS * 1000,
              logger,
              liveLeases: async () => (await rpc.call('leases.live', { worker })).live,
              neededImages: () => rpc.call('images.needed', { worker, next: 0 }),
              sweepFolders: async () => (await gateways.sweep()) + (await scratch.sweep()),
            }),
        },
        NextTasks,
        {
          provide: ImagesAhead,
          inject: [PROVIDERS, RpcClient, WORKER, NextTasks],
          useFactory: (providers: SandboxProviders, rpc: RpcClient, worker: WorkerId, tasks: NextTasks) => {
            const { ASSAY_IMAGES_AHEAD: next, ASSAY_TIME_SCALE: scale } = config;
            const provider = providers.get('docker');
            if (next === 0 || provider === undefined) return null;
            return new ImagesAhead<NextImage>({
              provider,
              coming: () => rpc.call('images.needed', { worker, next }),
              open: (image) => tasks.open(image),
              everyMs: Math.max(LEAST_LOOK_MS, LOOK_AHEAD_MS * scale),
              logger,
            });
          },
        },
        { provide: Scratch, useFactory: () => openScratch(workDir) },
        TrialPreparer,
        TrialUploader,
      ],
    };
  }
}

/** What an executor that was killed left of its trials is removed before the first of ours. */
async function openScratch(workDir: string): Promise<Scratch> {
  const scratch = new Scratch(join(workDir, 'trials'));
  await scratch.sweep();
  return scratch;
}

/** The same of the folders of their gateways; the reaper looks again and again. */
async function openGatewayFolders({ ASSAY_HOST_DIR, ASSAY_WORK_DIR: work }: ExecutorConfig): Promise<GatewayFolders> {
  const folders = new GatewayFolders({ host: ASSAY_HOST_DIR ?? work, work });
  await folders.sweep();
  return folders;
}

/** Where agents' packages are kept; undefined: in the user's cache. */
function layersDir({ ASSAY_LAYERS_DIR, ASSAY_HOST_DIR }: ExecutorConfig): string | undefined {
  return ASSAY_LAYERS_DIR ?? (ASSAY_HOST_DIR === undefined ? undefined : join(ASSAY_HOST_DIR, 'layers'));
}
