import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { assertNever, type CancelMessage, type Timings, type WorkKind } from '@assay/contracts';
import { type FailureCode, InfraError } from '@assay/failures';
import type { EventLog } from '../event-log';
import type { NatsLink } from '../nats/nats-link';
import { RpcResponder } from '../rpc/rpc-responder';
import { RpcClient } from '../rpc/rpc.client';
import { StallWatch } from '../timing/stall-watch';
import { WorkRuntime } from '../worker/work-runtime';
import type { WorkerOptions } from '../worker/work-types';
import { CancelListener } from './cancel-listener';
import type { Handles } from './handlers';
import { invoke } from './invoke';
import type { Part } from './part';
import { StreamPart } from './stream-part';
import { StreamRunner } from './stream-runner';

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

/**
 * Nest's transport over NATS and JetStream, for the handlers of this library's decorators. It listens at once, whatever
 * state the streams are in: what is missing is waited for. It does not close the connection, which others use too.
 */
export class JetStreamServer extends Server implements CustomTransportStrategy {
  private parts: Part[] = [];
  private readonly workers: WorkRuntime[] = [];
  private readonly duplicates: string[] = [];
  private readonly watch: StallWatch;

  constructor(private readonly options: JetStreamServerOptions) {
    super();
    // Half a lease: heartbeats before the stall may be as old as the other half.
    this.watch = new StallWatch(options.timings.leaseMs / 2);
  }

  /** Notes a second handler of one pattern for `listen`: Nest itself would drop the first without a word. */
  override addHandler(pattern: unknown, callback: MessageHandler, isEvent?: boolean, extras?: object): void {
    if (this.messageHandlers.has(this.normalizePattern(pattern as string))) this.duplicates.push(String(pattern));
    super.addHandler(pattern, callback, isEvent, extras);
  }

  /**
   * Calls back when the server knows of every subscription: a request that comes then is answered. Calls back with an
   * InfraError (`duplicate_handler`, `unknown_handler`, `no_worker`) for handlers that cannot be.
   */
  listen(callback: (error?: unknown) => void): void {
    void this.begin().then(() => {
      callback();
    }, callback);
  }

  /** Takes nothing new, gives work back, and waits up to `stopGraceMs` for what runs. */
  async close(): Promise<void> {
    const { stopGraceMs = 10_000 } = this.options;
    const parts = this.parts;
    this.parts = [];
    await Promise.all(parts.map((part) => part.stop(stopGraceMs)));
    this.watch.close();
  }

  override on(): never {
    throw new InfraError('ask NatsLink for the events of the connection', { code: 'not_offered', phase: 'dispatch' });
  }

  override unwrap(): never {
    throw new InfraError('inject NatsLink instead', { code: 'not_offered', phase: 'dispatch' });
  }

  private async begin(): Promise<void> {
    if (this.duplicates.length > 0) {
      throw wrongHandlers('duplicate_handler', `more than one handler for ${this.duplicates.join(', ')}`);
    }
    this.parts = [...this.messageHandlers].map(([pattern, handler]) => this.partFor(pattern, handler));
    if (this.workers.length > 0) {
      this.parts.push(
        this.cancelListener((message) => {
          for (const worker of this.workers) worker.cancel(message);
        }),
      );
    }
    for (const part of this.parts) part.start();
    await this.options.link.flushed();
  }

  private partFor(pattern: string, handler: MessageHandler): Part {
    const handles = (handler.extras as { assay?: Handles } | undefined)?.assay;
    if (handles === undefined) throw wrongHandlers('unknown_handler', `no decorator of ours stands on ${pattern}`);
    const { link, logger, timings, pullExpiresMs = 3_000 } = this.options;
    switch (handles.channel) {
      case 'rpc':
        return new RpcResponder({ link, logger, name: handles.name, handler });
      case 'stream': {
        const runner = new StreamRunner({ link, timings, logger, pattern: handles.pattern, handler });
        return new StreamPart({ ...handles, link, logger, pullExpiresMs, runner });
      }
      case 'core':
        return this.cancelListener((message) => {
          void invoke(handler, message, undefined).catch((error: unknown) => {
            logger.error({ pattern, err: error }, 'Handler of a control message failed');
          });
        });
      case 'work':
        return this.workerFor(handles.kind, handler, pullExpiresMs);
      default:
        return assertNever(handles);
    }
  }

  private workerFor(kind: WorkKind, handler: MessageHandler, pullExpiresMs: number): Part {
    const { link, logger, timings, worker } = this.options;
    if (worker === undefined) throw wrongHandlers('no_worker', `a handler of ${kind} work needs the worker's options`);
    const rpc = new RpcClient(link, timings.rpcTimeoutMs);
    const { watch } = this;
    const runtime = new WorkRuntime({
      kind,
      handler,
      link,
      logger,
      timings,
      options: worker,
      watch,
      rpc,
      pullExpiresMs,
    });
    this.workers.push(runtime);
    return runtime;
  }

  private cancelListener(onCancel: (message: CancelMessage) => void): CancelListener {
    return new CancelListener({ link: this.options.link, logger: this.options.logger, onCancel });
  }
}

function wrongHandlers(code: FailureCode, message: string): InfraError {
  return new InfraError(message, { code, phase: 'dispatch' });
}
