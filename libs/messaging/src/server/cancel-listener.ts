import type { Subscription } from '@nats-io/nats-core';
import { CancelMessage } from '@assay/contracts';
import type { EventLog } from '../event-log';
import { jsonOf } from '../nats/json-of';
import type { NatsLink } from '../nats/nats-link';
import type { Part } from './part';

export interface CancelListenerOptions {
  readonly link: NatsLink;
  readonly logger: EventLog;
  readonly onCancel: (message: CancelMessage) => void;
}

/** Hears of cancelled runs. Every process gets the message; the heartbeat is the backstop for those who miss it. */
export class CancelListener implements Part {
  private subscription: Subscription | null = null;

  constructor(private readonly options: CancelListenerOptions) {}

  start(): void {
    const { link, logger, onCancel } = this.options;
    this.subscription = link.connection.subscribe(link.names.cancelAll, {
      callback: (error, message) => {
        const body = error === null ? CancelMessage.safeParse(jsonOf(message)) : null;
        if (body?.success === true) onCancel(body.data);
        else logger.error({ err: error ?? body?.error }, 'Malformed control message ignored');
      },
    });
  }

  stop(): Promise<void> {
    this.subscription?.unsubscribe();
    return Promise.resolve();
  }
}
