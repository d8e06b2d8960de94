import type { JsMsg } from '@nats-io/jetstream';
import type { MessageHandler } from '@nestjs/microservices';
import type { CancelMessage, Timings, WorkKind } from '@assay/contracts';
import type { EventLog } from '../event-log';
import type { NatsLink } from '../nats/nats-link';
import type { RpcClient } from '../rpc/rpc.client';
import type { Part } from '../server/part';
import { PullLoop } from '../server/pull-loop';
import { Running } from '../timing/running';
import type { StallWatch } from '../timing/stall-watch';
import { Announcer } from './announcer';
import { WorkJob } from './work-job';
import type { WorkerOptions } from './work-types';

export interface WorkRuntimeOptions {
  readonly kind: WorkKind;
  readonly handler: MessageHandler;
  readonly link: NatsLink;
  readonly rpc: RpcClient;
  readonly timings: Timings;
  readonly logger: EventLog;
  readonly watch: StallWatch;
  readonly options: WorkerOptions;
  readonly pullExpiresMs: number;
}

/** All slots of this process for one kind of work. */
export class WorkRuntime implements Part {
  private readonly jobs = new Set<WorkJob>();
  private readonly loops: PullLoop[];
  private readonly announcer: Announcer;
  private readonly closing = new AbortController();
  private readonly running = new Running();
  private forgetReconnect: () => void = () => undefined;

  constructor(private readonly config: WorkRuntimeOptions) {
    const { kind, link, logger, options, rpc, timings, pullExpiresMs } = config;
    const source = { stream: link.names.workStream, durable: link.names.workDurable(kind) };
    const handle = (message: JsMsg): Promise<void> => this.take(message);
    this.loops = Array.from(
      { length: options.slots },
      () => new PullLoop({ link, logger, source, handle, expiresMs: pullExpiresMs }),
    );
    const { worker, slots, buildDigest } = options;
    this.announcer = new Announcer(rpc, { worker, kind, slots, buildDigest }, timings.announceMs, logger);
  }

  start(): void {
    for (const loop of this.loops) loop.start();
    this.running.add(this.announcer.run());
    this.forgetReconnect = this.config.link.onReconnect(() => {
      this.announcer.kick();
    });
  }

  cancel({ runId, instanceId }: CancelMessage): void {
    for (const job of this.jobs) {
      job.cancel((key) => key.runId === runId && (instanceId === null || key.instanceId === instanceId));
    }
  }

  /** Pulls no more, gives all work back at once, and waits up to `graceMs` for handlers to end. */
  async stop(graceMs: number): Promise<void> {
    this.closing.abort();
    this.forgetReconnect();
    this.announcer.stop();
    for (const loop of this.loops) {
      loop.stop();
      this.running.add(loop.end());
    }
    await Promise.all([...this.jobs].map((job) => job.release(graceMs / 2)));
    const left = await this.running.settled(graceMs);
    if (left > 0) this.config.logger.warn({ left }, 'Work did not end within its grace; leaving it');
  }

  private async take(message: JsMsg): Promise<void> {
    const { kind, ...deps } = this.config;
    const idle = ![...this.jobs].some((job) => job.holds);
    const job = new WorkJob(kind, { ...deps, closing: this.closing.signal });
    this.jobs.add(job);
    try {
      await job.run(message, idle);
    } finally {
      this.jobs.delete(job);
    }
  }
}
