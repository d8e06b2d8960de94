import { CancelMessage } from '@assay/contracts';
import type { NatsLink } from '../nats/nats-link';
import { messageHeaders } from '../nats/trace-headers';
import { currentTraceparent } from '@assay/telemetry';

/** Sends core messages to whoever listens now. What nobody hears is lost: the heartbeat is the backstop. */
export class ControlPublisher {
  constructor(private readonly link: NatsLink) {}

  /** Tells all workers to stop work of this run, or of one instance of it. */
  cancel(message: CancelMessage): void {
    const body = CancelMessage.parse(message);
    this.link.connection.publish(this.link.names.cancel(body.runId), JSON.stringify(body), {
      headers: messageHeaders(currentTraceparent()),
    });
  }
}
