import type { EventLog } from '../event-log';
import type { NatsLink } from '../nats/nats-link';
import { Running } from '../timing/running';
import type { Part } from './part';
import { PullLoop } from './pull-loop';
import { STREAM_PATTERNS, type StreamPattern } from './stream-patterns';
import type { StreamRunner } from './stream-runner';

export interface StreamPartOptions {
  readonly link: NatsLink;
  readonly logger: EventLog;
  readonly pattern: StreamPattern;
  readonly concurrency: number;
  readonly pullExpiresMs: number;
  readonly runner: StreamRunner;
}

/** The pull loops of one stream consumer. */
export class StreamPart implements Part {
  private readonly loops: PullLoop[];
  private readonly logger: EventLog;

  constructor({ link, logger, pattern, concurrency, pullExpiresMs, runner }: StreamPartOptions) {
    this.logger = logger;
    const source = STREAM_PATTERNS[pattern].source(link.names);
    this.loops = Array.from(
      { length: concurrency },
      () =>
        new PullLoop({ link, logger, source, expiresMs: pullExpiresMs, handle: (message) => runner.handle(message) }),
    );
  }

  start(): void {
    for (const loop of this.loops) loop.start();
  }

  async stop(graceMs: number): Promise<void> {
    const running = new Running();
    for (const loop of this.loops) {
      loop.stop();
      running.add(loop.end());
    }
    const left = await running.settled(graceMs);
    if (left > 0) this.logger.warn({ left }, 'Stream handlers did not end within their grace; leaving them');
  }
}
