import { Controller, Inject } from '@nestjs/common';
import type {
  NotificationsNextReply,
  NotificationsNextRequest,
  NotificationsSettleReply,
  NotificationsSettleRequest,
  Timings,
} from '@assay/contracts';
import { Rpc, TIMINGS } from '@assay/messaging';
import { Database, nextNotifications, settleNotification } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';

/** What publishers ask about those who want to be told (docs/notifications.md). */
@Controller()
export class NotificationsController {
  constructor(
    private readonly database: Database,
    @Inject(TIMINGS) private readonly timings: Timings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Rpc('notifications.next')
  next(request: NotificationsNextRequest): Promise<NotificationsNextReply> {
    return this.database.transaction((sql) => nextNotifications(sql, request, this.timings));
  }

  @Rpc('notifications.settle')
  async settle(request: NotificationsSettleRequest): Promise<NotificationsSettleReply> {
    const reply = await this.database.transaction((sql) => settleNotification(sql, request, this.timings));
    const { id, outcome } = request;
    const why = outcome.kind === 'failed' ? { reason: outcome.reason } : {};
    const fields = { notification: id, ...reply, ...why };
    if (outcome.kind === 'failed') this.logger.warn(fields, 'Notification not taken by its target');
    else this.logger.info(fields, 'Notification sent');
    return reply;
  }
}
