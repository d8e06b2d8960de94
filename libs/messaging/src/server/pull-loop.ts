import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { EventLog } from '../event-log';
import type { NatsLink } from '../nats/nats-link';
import { retryPauseMs } from '../timing/jitter.policy';
import { pause } from '../timing/pause';

export interface PullSource {
  readonly stream: string;
  readonly durable: string;
}

export interface PullLoopOptions {
  readonly link: NatsLink;
  readonly logger: EventLog;
  readonly source: PullSource;
  /** How long one pull waits at the server. Milliseconds, at least 1000 (the client's own minimum). */
  readonly expiresMs: number;
  /** Deals with one message; the next is pulled when it has resolved. */
  readonly handle: (message: JsMsg) => Promise<void>;
}

/**
 * Pulls one message after the other with `next()`: `consume()` was measured to hoard messages while a job runs. Survives
 * everything: a server that is gone, a consumer or stream that is missing (503) until the coordinator lays it anew.
 */
export class PullLoop {
  private readonly stopping = new AbortController();
  private ended: Promise<void> = Promise.resolve();
  private failures = 0;

  constructor(private readonly options: PullLoopOptions) {}

  start(): void {
    this.ended = this.loop();
  }

  /** Pulls no more. A message that arrives all the same is given back at once. */
  stop(): void {
    this.stopping.abort();
  }

  /** Resolves when the loop has ended, the message in hand included. Never rejects. */
  end(): Promise<void> {
    return this.ended;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    let consumer: Consumer | null = null;
    while (!signal.aborted) {
      // A pull buffered now would be sent after the reconnect, when nobody waits for its message any more.
      if (!this.options.link.connected) {
        await pause(retryPauseMs(1), signal);
        continue;
      }
      try {
        consumer ??= await this.bind();
        await this.once(consumer);
      } catch (error) {
        consumer = null;
        await this.failed(error);
      }
    }
  }

  private bind(): Promise<Consumer> {
    const { link, source } = this.options;
    return link.jetstream.consumers.get(source.stream, source.durable);
  }

  private async once(consumer: Consumer): Promise<void> {
    const message = await consumer.next({ expires: this.options.expiresMs });
    if (this.failures > 0) this.options.logger.info({ ...this.options.source }, 'Pulling again');
    this.failures = 0;
    if (message === null) return;
    if (this.stopping.signal.aborted) message.nak();
    else await this.options.handle(message);
  }

  private async failed(error: unknown): Promise<void> {
    this.failures += 1;
    const { logger, source } = this.options;
    if (this.failures === 1) logger.warn({ ...source, err: error }, 'Cannot pull; trying again until it works');
    await pause(retryPauseMs(this.failures), this.stopping.signal);
  }
}
