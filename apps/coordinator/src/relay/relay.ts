import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { WorkMessage, type Timings } from '@assay/contracts';
import { JetStreamPublisher, TIMINGS } from '@assay/messaging';
import {
  Database,
  type Listener,
  markFailed,
  markSent,
  noteSent,
  relayWindows,
  runsUnsent,
  takeUnsent,
  type Sql,
  type Taking,
  type UnsentMessage,
} from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import { setTimeout } from 'node:timers/promises';
import { StreamKeeper } from '../streams/stream-keeper';
import { aliveFor, PER_SLOT } from './window.policy';

const POLL_MS = 1_000;
const BATCH = 100;
/** Between two passes: what comes in quick succession is sent together. */
const PAUSE_MS = 15;

/**
 * Sends the outbox: woken by LISTEN/NOTIFY, and every second. A line is marked sent only when the stream has said that it
 * holds the message (or one of its subject). Work is sent no faster than workers take it.
 */
@Injectable()
export class Relay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private listener: Listener | null = null;
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private again = false;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly publisher: JetStreamPublisher,
    private readonly streams: StreamKeeper,
    @Inject(TIMINGS) private readonly timings: Timings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.listener = await this.database.listen('outbox', () => {
      this.wake();
    });
    this.timer = setInterval(() => {
      this.wake();
    }, POLL_MS);
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    await this.running;
    await this.listener?.close();
  }

  /** Looks for unsent lines now, or once more when it is at it already. */
  wake(): void {
    this.again = true;
    if (this.stopped || this.running !== null || !this.streams.ready) return;
    this.running = this.drain().finally(() => {
      this.running = null;
    });
  }

  private async drain(): Promise<void> {
    while (this.again && !this.stopped) {
      this.again = false;
      try {
        await this.pass();
      } catch (error) {
        this.logger.warn({ err: error }, 'The outbox could not be sent; trying again');
        return;
      }
      await setTimeout(PAUSE_MS);
    }
  }

  private async pass(): Promise<void> {
    if (await runsUnsent(this.database)) await this.sendAll({ topic: 'run.submitted', limit: BATCH });
    const aliveMs = aliveFor(this.timings);
    for (const { kind, slots, unleased, unsent } of await relayWindows(this.database, aliveMs)) {
      const room = Math.min(BATCH, PER_SLOT * slots - unleased);
      if (unsent && room > 0) await this.sendAll({ topic: `work.${kind}`, limit: room, workers: { kind, aliveMs } });
    }
  }

  private async sendAll(taking: Taking): Promise<void> {
    const { topic } = taking;
    const sent = await this.database.transaction(async (sql) => {
      const lines = await takeUnsent(sql, taking);
      const outcomes = await Promise.all(lines.map((line) => this.send(sql, line)));
      const through = lines.filter((_, index) => outcomes[index]);
      if (through.length === 0) return 0;
      await markSent(
        sql,
        through.map(({ id }) => id),
      );
      if (topic !== 'run.submitted') {
        await noteSent(
          sql,
          through.map(({ payload }) => WorkMessage.parse(payload).key),
        );
      }
      return through.length;
    });
    if (sent > 0) {
      this.logger.debug({ topic, sent }, 'Messages sent');
      this.again = true;
    }
  }

  /** True when the stream holds the message, or another one of its subject. */
  private async send(
    sql: Sql,
    { id, subject, payload, messageId, traceparent, tries }: UnsentMessage,
  ): Promise<boolean> {
    try {
      await this.publisher.publish(subject, payload, { messageId, traceparent });
      return true;
    } catch (error) {
      const delayMs = Math.min(30_000, POLL_MS * 2 ** Math.min(tries, 5));
      await markFailed(sql, { id, error: error instanceof Error ? error.message : String(error), delayMs });
      this.logger.warn({ subject, err: error }, 'A message was not taken by its stream; trying again');
      return false;
    }
  }
}
