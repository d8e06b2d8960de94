import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { Timings } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import type { EventLog } from '../event-log';
import type { NatsLink } from '../nats/nats-link';
import type { WorkerOptions } from '../worker/work-types';

export interface JetStreamServerOptions {
  readonly link: NatsLink;
  readonly timings: Timings;
  readonly logger: EventLog;
  /** What this process is as a worker. Needed where a controller has a @WorkHandler. */
  readonly worker?: WorkerOptions;
  /** How long `close` waits for what runs. Milliseconds, default 10000. */
  readonly stopGraceMs?: number;
  /** How long one pull waits for a message, and so the longest that an idle `close` takes. At least 1000, default 3000. */
  readonly pullExpiresMs?: number;
}

/** Nest's transport over NATS and JetStream. */
export class JetStreamServer extends Server implements CustomTransportStrategy {
  constructor(private readonly options: JetStreamServerOptions) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    callback(new InfraError('not built yet', { code: 'not_built', phase: 'dispatch', details: { ...this.options } }));
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  override on(): never {
    throw new InfraError('ask NatsLink for the events of the connection', { code: 'not_offered', phase: 'dispatch' });
  }

  override unwrap(): never {
    throw new InfraError('inject NatsLink instead', { code: 'not_offered', phase: 'dispatch' });
  }
}
