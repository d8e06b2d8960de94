import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { ClaimId, type NotificationsNextReply, type WorkerId } from '@assay/contracts';
import type { RpcClient } from '@assay/messaging';
import type { Logger } from 'pino';
import type { Target } from './target';

export interface NotifierParts {
  readonly rpc: Pick<RpcClient, 'call'>;
  readonly worker: WorkerId;
  readonly targets: readonly Target[];
  /** Milliseconds between two questions when nothing was due. */
  readonly idleMs: number;
  readonly logger: Logger;
}

type Due = NotificationsNextReply['due'][number];

/**
 * Asks the coordinator what is to be told, tells it, and says what came of it. Everything that lasts is in the database: a
 * publisher that dies leaves what it has to whoever asks after the lease. It asks without any targets, too: then what
 * happened is closed, so that a target that is added later is not told of last week.
 */
export class Notifier implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private failing = false;

  constructor(private readonly parts: NotifierParts) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    this.running = this.loop();
  }

  /** Called by Nest: resolves when what is being told is settled. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const busy = await this.round();
      if (!busy) await wait(this.parts.idleMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** True when there was something to tell; never rejects. */
  private async round(): Promise<boolean> {
    const { rpc, worker, targets, logger } = this.parts;
    const claimId = ClaimId.parse(randomUUID());
    try {
      const wanted = targets.map(({ name, events }) => ({ name, events: [...events] }));
      const { due } = await rpc.call('notifications.next', { worker, claimId, targets: wanted });
      await Promise.all(due.map((one) => this.tell(one, claimId)));
      this.failing = false;
      return due.length > 0;
    } catch (error) {
      // The coordinator is away: said once, not at every question.
      if (!this.failing) logger.warn({ err: error }, 'nobody can say what is to be told; asking again');
      this.failing = true;
      return false;
    }
  }

  private async tell({ target: name, notification, tryNumber }: Due, claimId: ClaimId): Promise<void> {
    const { rpc, targets, logger } = this.parts;
    const target = targets.find((one) => one.name === name);
    if (target === undefined)
      throw new Error(`the coordinator gave out a notification for ${name}, which is no target here`);
    const outcome = await target.send(notification, tryNumber);
    const fields = { notification: notification.id, target: name, event: notification.event, outcome: outcome.kind };
    if (outcome.kind === 'failed') logger.warn({ ...fields, reason: outcome.reason }, 'notification not taken');
    else logger.info(fields, 'notification sent');
    await rpc.call('notifications.settle', { claimId, id: notification.id, outcome });
  }
}
