import { Controller, Inject } from '@nestjs/common';
import type {
  AnnounceReply,
  AnnounceRequest,
  CancelRunReply,
  CancelRunRequest,
  ClaimReply,
  ClaimRequest,
  HeartbeatReply,
  HeartbeatRequest,
  ImagesNeededReply,
  ImagesNeededRequest,
  LeasesLiveReply,
  ReleaseReply,
  ReleaseRequest,
} from '@assay/contracts';
import { Rpc } from '@assay/messaging';
import { announceWorker, Database, liveLeases, release } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { Relay } from '../relay/relay';
import { Cancellation } from './cancellation';
import { Claims } from './claims';
import { Heartbeats } from './heartbeats';
import { NeededImages } from './needed-images';

/** What workers (and, for cancel, the dispatcher) ask. */
@Controller()
export class WorkController {
  constructor(
    private readonly database: Database,
    private readonly claims: Claims,
    private readonly heartbeats: Heartbeats,
    private readonly cancellation: Cancellation,
    private readonly images: NeededImages,
    private readonly relay: Relay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Rpc('claim')
  claim(request: ClaimRequest): Promise<ClaimReply> {
    return this.claims.answer(request);
  }

  @Rpc('heartbeat')
  heartbeat(request: HeartbeatRequest): Promise<HeartbeatReply> {
    return this.heartbeats.answer(request);
  }

  @Rpc('release')
  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    const reply = await this.database.transaction((sql) => release(sql, request));
    const { key, epoch, worker } = request;
    this.logger.info({ ...key, epoch, worker, answer: reply.answer }, 'Work given back');
    return reply;
  }

  @Rpc('announce')
  async announce(request: AnnounceRequest): Promise<AnnounceReply> {
    const fresh = await announceWorker(this.database, request);
    if (fresh) {
      this.logger.info({ ...request }, 'Worker announced itself');
      this.relay.wake();
    }
    return { answer: 'ok' };
  }

  @Rpc('leases.live')
  async leasesLive(): Promise<LeasesLiveReply> {
    return { live: await liveLeases(this.database) };
  }

  @Rpc('images.needed')
  imagesNeeded(request: ImagesNeededRequest): Promise<ImagesNeededReply> {
    return this.images.answer(request);
  }

  @Rpc('run.cancel')
  cancelRun({ runId }: CancelRunRequest): Promise<CancelRunReply> {
    return this.cancellation.cancel(runId);
  }
}
