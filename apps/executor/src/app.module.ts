import { mkdir } from 'node:fs/promises';
import { Module, type DynamicModule } from '@nestjs/common';
import type { ModelEndpoint } from '@assay/agents';
import { FileArtifactStore } from '@assay/artifacts';
import { scaleTimings, type Timings, type WorkerId } from '@assay/contracts';
import { connectNats, NatsLink, newWorkerId, RpcClient } from '@assay/messaging';
import { SandboxReaper, sandboxProviders, type SandboxProviders } from '@assay/sandbox';
import { reach, type ServiceKit } from '@assay/service-kit';
import type { ExecutorConfig } from './config';
import { ARTIFACTS, ENDPOINT, PROVIDERS, TIMINGS, WORKER } from './tokens';
import { Scratch } from './trial/scratch';
import { TrialHandler } from './trial/trial.handler';
import { TrialPreparer } from './trial/trial-preparer';
import { TrialUploader } from './trial/trial-uploader';

/** The one place where the executor's ports meet their adapters. */
@Module({})
export class AppModule {
  static of(config: ExecutorConfig, { readiness, logger }: ServiceKit): DynamicModule {
    const { ASSAY_NAMESPACE: namespace, NATS_URL, ASSAY_WORK_DIR: workDir } = config;
    const timings = scaleTimings(config.ASSAY_TIME_SCALE);
    const openLink = async (): Promise<NatsLink> => {
      const link = await reach('NATS', 'NATS_URL', NATS_URL, () =>
        connectNats({ url: NATS_URL, name: 'assay-executor', namespace }),
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
      controllers: [TrialHandler],
      providers: [
        { provide: TIMINGS, useValue: timings },
        { provide: WORKER, useValue: newWorkerId() },
        { provide: ENDPOINT, useValue: endpointOf(config) },
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
        { provide: Scratch, useFactory: () => openScratch(workDir) },
        TrialPreparer,
        TrialUploader,
      ],
    };
  }
}

/** What an executor that was killed left of its trials is removed before the first of ours. */
async function openScratch(workDir: string): Promise<Scratch> {
  const scratch = new Scratch(workDir);
  await scratch.sweep();
  return scratch;
}

/** Null unless both address and key are there: agents that need a model then fail as our fault. */
function endpointOf({ OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY_FILE: apiKey }: ExecutorConfig): ModelEndpoint | null {
  return baseUrl === undefined || apiKey === undefined ? null : { baseUrl, apiKey };
}
