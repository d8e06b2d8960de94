import { Module, type DynamicModule } from '@nestjs/common';
import { scaleTimings, type WorkerId } from '@assay/contracts';
import { ReleaseClient, WritePace } from '@assay/github';
import { RpcClient, WORKER, workerProviders } from '@assay/messaging';
import { openArtifacts, type ServiceKit } from '@assay/service-kit';
import type { PublisherConfig } from './config';
import { githubAccess } from './github-access';
import { Notifier } from './notifications/notifier';
import { SEND_TIMEOUT_MS } from './notifications/target';
import { targetsOf } from './notifications/targets-of';
import { PublicationHandler, type PublisherSettings, SETTINGS } from './publication/publication.handler';
import { ARTIFACTS, RELEASES } from './tokens';

/** GitHub asks for a second between two writes. */
const WRITE_GAP_MS = 1000;
/** Between two questions whether there is something to tell. */
const NOTIFY_IDLE_MS = 5000;

/** The one place where the publisher's ports meet their adapters. */
@Module({})
export class AppModule {
  static of(config: PublisherConfig, kit: ServiceKit): DynamicModule {
    const { readiness, logger } = kit;
    const { ASSAY_NAMESPACE: namespace, ASSAY_TIME_SCALE: scale } = config;
    const timings = scaleTimings(scale);
    if (sendsInTheOpen(config.GITHUB_API_URL)) {
      logger.warn({ url: config.GITHUB_API_URL }, 'the GitHub token is sent without encryption');
    }
    const pace = new WritePace(WRITE_GAP_MS * scale);
    const { issues = [] } = config.ASSAY_NOTIFICATIONS_FILE ?? {};
    const { credential, secrets, check } = githubAccess(config, {
      contents: 'write',
      ...(issues.length > 0 ? { issues: 'write' } : {}),
    });
    const releases = (signal: AbortSignal) =>
      new ReleaseClient({ baseUrl: config.GITHUB_API_URL, credential, pace, signal });
    readiness.add('GitHub token', check);
    const settings: PublisherSettings = {
      namespace,
      freshMs: timings.publicationFreshMs,
      firstPauseMs: 1000 * scale,
      policy: config.ASSAY_POLICY_FILE ?? null,
      anchors: config.ASSAY_BLOCK_ANCHORS,
      signingKey: config.ASSAY_SIGNING_KEY_FILE ?? null,
      secrets,
    };
    const targets = targetsOf(config.ASSAY_NOTIFICATIONS_FILE ?? null, {
      ...{ githubUrl: config.GITHUB_API_URL, credential, pace },
      timeoutMs: Math.max(500, SEND_TIMEOUT_MS * scale),
    });
    return {
      module: AppModule,
      controllers: [PublicationHandler],
      providers: [
        ...workerProviders('publisher', config, kit),
        {
          provide: Notifier,
          inject: [RpcClient, WORKER],
          useFactory: (rpc: RpcClient, worker: WorkerId) =>
            new Notifier({ rpc, worker, targets, idleMs: NOTIFY_IDLE_MS * scale, logger }),
        },
        { provide: SETTINGS, useValue: settings },
        { provide: RELEASES, useValue: releases },
        { provide: ARTIFACTS, useFactory: () => openArtifacts(config, readiness) },
      ],
    };
  }
}

function sendsInTheOpen(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
