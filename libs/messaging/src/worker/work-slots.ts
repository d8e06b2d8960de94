import type { JsMsg } from '@nats-io/jetstream';
import type { CancelMessage, WorkKey, WorkKind } from '@assay/contracts';
import { PullLoop } from '../server/pull-loop';
import { Announcer } from './announcer';
import { WorkJob } from './work-job';
import type { WorkDeps } from './work-deps';

export interface WorkSlotsOptions {
  readonly kind: WorkKind;
  readonly deps: WorkDeps;
  /** How long one pull waits at the server, milliseconds. */
  readonly pullExpiresMs: number;
}

/** The slots of one kind of work in this process: each pulls one wake-up, does the work, then pulls the next. */
export class WorkSlots {
  private readonly jobs = new Set<WorkJob>();
  private readonly loops: readonly PullLoop[];
  private readonly announcer: Announcer;
  private announcing: Promise<void> = Promise.resolve();

  constructor(private readonly options: WorkSlotsOptions) {
    const { kind, deps, pullExpiresMs } = options;
    const { link, logger, rpc, timings } = deps;
    const { worker, buildDigest, slots } = deps.options;
    const source = { stream: link.names.workStream, durable: link.names.workDurable(kind) };
    this.loops = Array.from(
      { length: slots },
      () => new PullLoop({ link, logger, source, expiresMs: pullExpiresMs, handle: (message) => this.take(message) }),
    );
    this.announcer = new Announcer(rpc, { worker, kind, slots, buildDigest }, timings.announceMs, logger);
  }

  start(): void {
    this.announcing = this.announcer.run();
    for (const loop of this.loops) loop.start();
  }

  /** The connection is back: the coordinator may be a new one. */
  reconnected(): void {
    this.announcer.kick();
  }

  /** Stops the work of a cancelled run, or of one instance of it. */
  cancel({ runId, instanceId }: CancelMessage): void {
    const matches = (key: WorkKey): boolean =>
      key.runId === runId && (instanceId === null || key.instanceId === instanceId);
    for (const job of this.jobs) job.cancel(matches);
  }

  /** Takes no more, gives back what runs, and waits at most `graceMs` for it. */
  async close(graceMs: number): Promise<void> {
    for (const loop of this.loops) loop.stop();
    this.announcer.stop();
    await Promise.all([...this.jobs].map((job) => job.release(graceMs)));
    await Promise.all([this.announcing, ...this.loops.map((loop) => loop.end())]);
  }

  private async take(message: JsMsg): Promise<void> {
    const { kind, deps } = this.options;
    const idle = ![...this.jobs].some((job) => job.holds);
    const job = new WorkJob(kind, deps);
    this.jobs.add(job);
    try {
      await job.run(message, idle);
    } finally {
      this.jobs.delete(job);
    }
  }
}
