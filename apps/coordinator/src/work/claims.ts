import { Inject, Injectable } from '@nestjs/common';
import type { ClaimReply, ClaimRequest } from '@assay/contracts';
import { claim, Database, type ClaimOptions, type WorkProtocol } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { LeaseSweep } from '../sweep/lease-sweep';
import { QuietPeriod } from '../sweep/quiet-period';
import { PROTOCOL } from '../tokens';

/** Answers claims: the fence of the work protocol. */
@Injectable()
export class Claims {
  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    private readonly quiet: QuietPeriod,
    private readonly leases: LeaseSweep,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async answer(request: ClaimRequest): Promise<ClaimReply> {
    const first = await this.ask(request);
    if (first.answer !== 'lapsed') return this.told(request, first);
    // The holder before is silent for longer than its lease: its try ends first, then this claim is looked at anew.
    await this.leases.end({ key: request.key, epoch: first.epoch });
    const second = await this.ask(request);
    if (second.answer === 'lapsed') return { answer: 'held', retryInMs: this.protocol.timings.sweepMs };
    return this.told(request, second);
  }

  private ask(request: ClaimRequest): ReturnType<typeof claim> {
    const options: ClaimOptions = { ...this.protocol, mayExpire: this.quiet.isOver };
    return claim(this.database, request, options);
  }

  private told({ key, worker }: ClaimRequest, reply: ClaimReply): ClaimReply {
    const { answer } = reply;
    if (reply.answer === 'granted') {
      this.logger.info({ ...key, worker, epoch: reply.epoch, attempt: reply.attempt }, 'Work granted');
    } else {
      this.logger.debug({ ...key, worker, answer }, 'Claim answered without a grant');
    }
    return reply;
  }
}
