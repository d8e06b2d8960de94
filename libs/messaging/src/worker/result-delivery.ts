import { createInbox, type Subscription } from '@nats-io/nats-core';
import { REPLY_HEADER, type ResultMessage, ResultReply, type Timings } from '@assay/contracts';
import type { EventLog } from '../event-log';
import { jsonOf } from '../nats/json-of';
import type { NatsLink } from '../nats/nats-link';
import { messageHeaders } from '../nats/trace-headers';
import { isSubjectTaken } from '../streams/jetstream-publisher';
import { jittered } from '../timing/jitter.policy';
import { pause } from '../timing/pause';

export interface ResultDeliveryOptions {
  readonly link: NatsLink;
  readonly timings: Timings;
  readonly logger: EventLog;
  /** False while nothing may be sent (after a stall, until a heartbeat is accepted). */
  readonly maySpeak: () => boolean;
}

/** Sends one result until the coordinator has answered it. */
export class ResultDelivery {
  /** Whether the stream has taken the result: then it will be recorded even if this worker ends. */
  stored = false;
  private reply: ResultReply | null = null;
  private readonly answered = new AbortController();

  constructor(private readonly options: ResultDeliveryOptions) {}

  /** Resolves to the answer; to null if `stop` is aborted before there is one. Never rejects. */
  async run(message: ResultMessage, traceparent: string | null, stop: AbortSignal): Promise<ResultReply | null> {
    const { link, timings, maySpeak } = this.options;
    const inbox = createInbox();
    const subscription = this.listen(inbox);
    const over = AbortSignal.any([stop, this.answered.signal]);
    try {
      while (!over.aborted) {
        const sent = link.connected && maySpeak() && (await this.publish(message, inbox, traceparent));
        await pause(jittered(sent ? timings.resultAckWaitMs : timings.resultAckWaitMs / 10), over);
      }
      return this.reply;
    } finally {
      subscription.unsubscribe();
    }
  }

  private listen(inbox: string): Subscription {
    return this.options.link.connection.subscribe(inbox, {
      callback: (error, message) => {
        const reply = error === null ? ResultReply.safeParse(jsonOf(message)) : null;
        if (reply?.success !== true) {
          this.options.logger.error({ err: error ?? reply?.error }, 'Malformed answer to a result ignored');
          return;
        }
        this.reply = reply.data;
        this.answered.abort();
      },
    });
  }

  /** Answers whether the stream holds a result of this key now. */
  private async publish(message: ResultMessage, inbox: string, traceparent: string | null): Promise<boolean> {
    const { link, logger, timings } = this.options;
    try {
      await link.jetstream.publish(link.names.result(message.key), JSON.stringify(message), {
        headers: messageHeaders(traceparent, { [REPLY_HEADER]: inbox }),
        timeout: timings.rpcTimeoutMs,
      });
      this.stored = true;
      return true;
    } catch (error) {
      // Ours from before, or a former holder's, which the coordinator is about to refuse: try again later.
      if (isSubjectTaken(error)) return true;
      logger.warn({ key: message.key, err: error }, 'Result not stored; sending it again');
      return false;
    }
  }
}
