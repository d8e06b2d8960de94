import type { JsMsg } from '@nats-io/jetstream';
import type { MessageHandler } from '@nestjs/microservices';
import { assertNever, REPLY_HEADER, type ResultReply, type Timings } from '@assay/contracts';
import { inSpan } from '@assay/telemetry';
import type { EventLog } from '../event-log';
import { jsonOf } from '../nats/json-of';
import type { NatsLink } from '../nats/nats-link';
import { traceparentOf } from '../nats/trace-headers';
import { jittered } from '../timing/jitter.policy';
import { invoke } from './invoke';
import { STREAM_PATTERNS, type StreamContext, type StreamPattern } from './stream-patterns';
import { giveBack, type Verdict } from './verdict';

export interface StreamRunnerOptions {
  readonly link: NatsLink;
  readonly timings: Timings;
  readonly logger: EventLog;
  readonly pattern: StreamPattern;
  readonly handler: MessageHandler;
}

/** Has one message of a stream handled, and turns the handler's verdict into a verb. */
export class StreamRunner {
  constructor(private readonly options: StreamRunnerOptions) {}

  /** Never rejects. */
  async handle(message: JsMsg): Promise<void> {
    const { pattern, logger } = this.options;
    const body = STREAM_PATTERNS[pattern].schema.safeParse(jsonOf(message));
    if (!body.success) {
      logger.error({ subject: message.subject, problem: body.error.message }, 'Malformed message thrown away');
      this.whileConnected(() => {
        message.term();
        this.answer(message, { answer: 'refused', reason: 'malformed result' });
      });
      return;
    }
    const verdict = await this.judge(message, body.data);
    this.whileConnected(() => {
      this.conclude(message, verdict);
    });
  }

  private async judge(message: JsMsg, body: unknown): Promise<Verdict> {
    const { pattern, handler, logger, timings } = this.options;
    const working = setInterval(() => {
      this.whileConnected(() => {
        message.working();
      });
    }, timings.resultAckWaitMs / 3);
    const context: StreamContext = {
      subject: message.subject,
      traceparent: traceparentOf(message.headers),
      deliveryCount: message.info.deliveryCount,
    };
    try {
      const span = { parent: context.traceparent, kind: 'consumer' } as const;
      return await inSpan(`process ${pattern}`, span, async () => (await invoke(handler, body, context)) as Verdict);
    } catch (error) {
      logger.error({ subject: message.subject, err: error }, 'Handler of a stream failed; the message is given back');
      return giveBack(jittered(timings.resultAckWaitMs / 10));
    } finally {
      clearInterval(working);
    }
  }

  private conclude(message: JsMsg, verdict: Verdict): void {
    switch (verdict.verdict) {
      case 'done':
        message.ack();
        if (verdict.answer !== null) this.answer(message, verdict.answer);
        return;
      case 'giveBack':
        message.nak(verdict.delayMs);
        return;
      case 'lost':
        return;
      default:
        assertNever(verdict);
    }
  }

  private answer(message: JsMsg, reply: ResultReply): void {
    const inbox = message.headers?.get(REPLY_HEADER) ?? '';
    if (inbox !== '') this.options.link.connection.publish(inbox, JSON.stringify(reply));
  }

  /** A verb that is buffered now would be sent after the reconnect, when the message may be another's. */
  private whileConnected(send: () => void): void {
    if (this.options.link.connected) send();
  }
}
