import { Inject, Injectable } from '@nestjs/common';
import type { HeartbeatReply, HeartbeatRequest } from '@assay/contracts';
import { Database, heartbeat, type WorkProtocol } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { QuietPeriod } from '../sweep/quiet-period';
import { RunBudgets } from '../sweep/run-budgets';
import { PROTOCOL } from '../tokens';

type Held = Exclude<HeartbeatReply, { answer: 'lost' }>;

/** Keeps leases alive, and holds what a trial tells of its spending against the budget of its run. */
@Injectable()
export class Heartbeats {
  constructor(
    private readonly database: Database,
    @Inject(PROTOCOL) private readonly protocol: WorkProtocol,
    private readonly quiet: QuietPeriod,
    private readonly budgets: RunBudgets,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async answer(request: HeartbeatRequest): Promise<HeartbeatReply> {
    const { started, countsForBudget, ...reply } = await this.recorded(request);
    const { key, epoch, worker } = request;
    if (started) this.logger.info({ ...key, epoch, worker }, 'Work started');
    if (reply.answer === 'lost') {
      this.logger.warn({ ...key, epoch, worker }, 'Heartbeat of a lost lease refused');
      return reply;
    }
    return countsForBudget ? this.withinBudget(request, reply) : reply;
  }

  /** No lease lapses while heartbeats cannot be recorded. */
  private async recorded(request: HeartbeatRequest): ReturnType<typeof heartbeat> {
    try {
      return await heartbeat(this.database, request, this.protocol.timings);
    } catch (error) {
      this.quiet.extend();
      throw error;
    }
  }

  /** The heartbeat is recorded, so its answer does not hang on this: what fails here is done by the next sweep. */
  private async withinBudget({ key }: HeartbeatRequest, reply: Held): Promise<Held> {
    try {
      const budget = await this.budgets.check(key.runId);
      return budget === null ? reply : { answer: 'spent', deadline: reply.deadline, budget };
    } catch (error) {
      this.logger.warn({ ...key, err: error }, 'The budget of the run could not be looked at; the sweep will');
      return reply;
    }
  }
}
