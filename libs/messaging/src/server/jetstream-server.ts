import { CancelMessage, type Timings } from '@assay/contracts';
import { ContractError, InfraError } from '@assay/failures';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import type { EventLog } from '../event-log';
import { jsonOf } from '../nats/json-of';
import type { NatsLink } from '../nats/nats-link';
import { RpcClient } from '../rpc/rpc.client';
import { RpcResponder } from '../rpc/rpc-responder';
import { Running } from '../timing/running';
import { StallWatch } from '../timing/stall-watch';
import { WorkSlots } from '../worker/work-slots';
import type { WorkerOptions } from '../worker/work-types';
import type { Handles } from './handlers';
import { invoke } from './invoke';
import { PullLoop } from './pull-loop';
import { STREAM_PATTERNS } from './stream-patterns';
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

const STOP_GRACE_MS = 10_000;
const PULL_EXPIRES_MS = 3_000;

/**
 * Nest's transport over NATS and JetStream. A loop on `next()` for each slot, verbs by verdict, and an orderly end: no
 * more messages are taken, what runs is finished or given back, requests that came are answered.
 */
export class JetStreamServer extends Server implements CustomTransportStrategy {
  private readonly closing = new AbortController();
  private readonly running = new Running();
  private readonly watch: StallWatch;
  private readonly rpc: RpcClient;
  private readonly responders: RpcResponder[] = [];
  private readonly loops: PullLoop[] = [];
  private readonly slots: WorkSlots[] = [];
  private readonly cancelled: ((message: CancelMessage) => Promise<void>)[] = [];
  private readonly undo: (() => void)[] = [];

  constructor(private readonly options: JetStreamServerOptions) {
    super();
    this.watch = new StallWatch(options.timings.leaseMs);
    this.rpc = new RpcClient(options.link, options.timings.rpcTimeoutMs);
  }

  /** Starts whatever the controllers' decorators ask for. Streams that are not there yet are waited for. */
  listen(callback: (error?: unknown) => void): void {
    try {
      for (const handler of this.messageHandlers.values()) this.bind(handler);
      this.listenForCancel();
      for (const part of [...this.responders, ...this.loops, ...this.slots]) part.start();
      callback();
    } catch (error) {
      callback(error);
    }
  }

  async close(): Promise<void> {
    const { stopGraceMs = STOP_GRACE_MS, logger } = this.options;
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    for (const undo of this.undo) undo();
    for (const loop of this.loops) loop.stop();
    await Promise.all([
      ...this.slots.map((slots) => slots.close(stopGraceMs)),
      ...this.loops.map((loop) => loop.end()),
    ]);
    await Promise.all(this.responders.map((responder) => responder.stop()));
    const left = await this.running.settled(stopGraceMs);
    if (left > 0) logger.warn({ left }, 'Requests were still under way when the service ended');
    this.watch.close();
  }

  override on(): never {
    throw new InfraError('ask NatsLink for the events of the connection', { code: 'not_offered', phase: 'dispatch' });
  }

  override unwrap(): never {
    throw new InfraError('inject NatsLink instead', { code: 'not_offered', phase: 'dispatch' });
  }

  private bind(handler: MessageHandler): void {
    const handles = (handler.extras as { assay?: Handles } | undefined)?.assay;
    if (handles === undefined) return;
    const { link, logger, timings, pullExpiresMs: expiresMs = PULL_EXPIRES_MS } = this.options;
    switch (handles.channel) {
      case 'rpc':
        this.responders.push(new RpcResponder({ link, logger, name: handles.name, handler, running: this.running }));
        return;
      case 'stream': {
        const runner = new StreamRunner({ link, timings, logger, pattern: handles.pattern, handler });
        const source = STREAM_PATTERNS[handles.pattern].source(link.names);
        for (let loop = 0; loop < handles.concurrency; loop += 1) {
          this.loops.push(
            new PullLoop({ link, logger, source, expiresMs, handle: (message) => runner.handle(message) }),
          );
        }
        return;
      }
      case 'core':
        this.cancelled.push(async (message) => {
          await invoke(handler, message, {});
        });
        return;
      case 'work':
        this.slots.push(this.slotsOf(handles, handler, expiresMs));
    }
  }

  private slotsOf(
    { kind }: Extract<Handles, { channel: 'work' }>,
    handler: MessageHandler,
    pullExpiresMs: number,
  ): WorkSlots {
    const { link, logger, timings, worker } = this.options;
    if (worker === undefined) {
      throw new ContractError(`a handler of ${kind} work needs the strategy's option "worker"`, {
        code: 'no_worker_options',
        phase: 'dispatch',
      });
    }
    const { rpc, watch } = this;
    const deps = { link, rpc, timings, logger, options: worker, watch, handler, closing: this.closing.signal };
    const slots = new WorkSlots({ kind, deps, pullExpiresMs });
    this.cancelled.push((message) => {
      slots.cancel(message);
      return Promise.resolve();
    });
    this.undo.push(
      link.onReconnect(() => {
        slots.reconnected();
      }),
    );
    return slots;
  }

  private listenForCancel(): void {
    if (this.cancelled.length === 0) return;
    const { link, logger: log } = this.options;
    const subscription = link.connection.subscribe(link.names.cancelAll, {
      callback: (error, message) => {
        const body = error === null ? CancelMessage.safeParse(jsonOf(message)) : null;
        if (body?.success !== true) {
          log.error({ err: error ?? body?.error }, 'Malformed cancel message ignored');
          return;
        }
        for (const cancel of this.cancelled) this.running.add(this.guarded(cancel(body.data)));
      },
    });
    this.undo.push(() => {
      subscription.unsubscribe();
    });
  }

  private async guarded(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.options.logger.error({ err: error }, 'A handler of a cancel message failed');
    }
  }
}
