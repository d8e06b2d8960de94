import { JetStreamApiError } from '@nats-io/jetstream';
import { InfraError } from '@assay/failures';
import type { NatsLink } from '../nats/nats-link';
import { messageHeaders } from '../nats/trace-headers';

export interface PublishOptions {
  /** Unique per message (an outbox line's id): the server drops a second one for some minutes. */
  readonly messageId: string;
  /** Trace context of whoever caused the message, not of who relays it. */
  readonly traceparent: string | null;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * `stored`: the stream has it. `still_stored`: the subject holds an earlier one, which does as well (a message is only a
 * wake-up). `duplicate`: a message of this id was stored before, and may have been dealt with since.
 */
export type Published =
  | { readonly stored: true; readonly sequence: number }
  | { readonly stored: false; readonly reason: 'still_stored' | 'duplicate' };

/**
 * The server's code for "store failed", whatever the cause: over its text a full subject is told from a full stream.
 * Measured on 2.9.10, 2.10.27 and 2.15.1.
 */
const STORE_FAILED = 10077;

/** Publishes to streams and waits for the server's word. */
export class JetStreamPublisher {
  /** @param timeoutMs how long the server's acknowledgement may take */
  constructor(
    private readonly link: NatsLink,
    private readonly timeoutMs = 5_000,
  ) {}

  /**
   * @param payload is sent as JSON
   * @throws InfraError `publish_failed`: it may or may not be stored; publish it again with the same id
   */
  async publish(subject: string, payload: unknown, options: PublishOptions): Promise<Published> {
    try {
      const ack = await this.link.jetstream.publish(subject, JSON.stringify(payload), {
        msgID: options.messageId,
        headers: messageHeaders(options.traceparent, options.headers),
        timeout: this.timeoutMs,
        retries: 1,
      });
      return ack.duplicate ? { stored: false, reason: 'duplicate' } : { stored: true, sequence: ack.seq };
    } catch (error) {
      if (isSubjectTaken(error)) return { stored: false, reason: 'still_stored' };
      throw new InfraError(`cannot publish to ${subject}: ${error instanceof Error ? error.message : String(error)}`, {
        code: 'publish_failed',
        phase: 'dispatch',
        details: { subject },
        cause: error,
      });
    }
  }
}

/** Whether the server refused because the subject holds a message already. */
export function isSubjectTaken(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === STORE_FAILED && /per subject/.test(error.message);
}
