import type { MessageHandler } from '@nestjs/microservices';
import type { ClaimReply, RunBudget, Timings } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { ATTRIBUTES, inSpan } from '@assay/telemetry';
import type { EventLog } from '../event-log';
import { invoke } from '../server/invoke';
import type { Fence, Lease } from './lease';
import type { SpecOf, WorkContext, WorkResult } from './work-types';

type Grant = Extract<ClaimReply, { answer: 'granted' }>;

/** Why no result is wanted any more. */
export type Stopped = 'lease_lost' | 'work_cancelled' | 'worker_shutdown';

/** How a handler ended. Null: it was stopped, and no result is wanted. */
export type Ending = { readonly result: WorkResult<Fence['key']['kind']> } | { readonly error: unknown } | null;

export interface PerformanceOptions {
  readonly fence: Fence;
  readonly grant: Grant;
  readonly lease: Lease;
  readonly handler: MessageHandler;
  readonly timings: Timings;
  readonly logger: EventLog;
  /** After this long it is aborted in any case. */
  readonly longestMs: number;
}

/** The longest delay that a timer of Node takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs the handler of granted work once, inside a span, within its own deadline. */
export class Performance {
  /** Trace context of the work's span, of the grant before that. */
  traceparent: string | null;
  /** Resolves when the handler has come to its end, which may be after `run` if it does not heed its signal. */
  settled: Promise<void> = Promise.resolve();
  private readonly aborting = new AbortController();
  private readonly spending = new AbortController();
  private reached: RunBudget | null = null;
  private stopped = false;

  constructor(private readonly options: PerformanceOptions) {
    this.traceparent = options.grant.traceparent;
  }

  get spec(): SpecOf<Fence['key']['kind']> {
    return this.options.grant.spec;
  }

  /** Aborts the handler; whatever it does then, `run` resolves to null. */
  stop(code: Stopped, message: string): void {
    this.stopped = true;
    this.aborting.abort(new InfraError(message, { code, phase: 'lease' }));
  }

  /** The run's budget is used up: the handler is told, and its result is wanted all the same. */
  spend(budget: RunBudget): void {
    this.reached ??= budget;
    this.spending.abort();
  }

  /** Never rejects. */
  async run(): Promise<Ending> {
    if (this.stopped) return null;
    let timers: NodeJS.Timeout[] = [];
    const hung = new Promise<never>((_, reject) => {
      timers = this.deadline(reject);
    });
    try {
      const work = this.inSpan();
      this.settled = work.then(
        () => undefined,
        () => undefined,
      );
      const result = await Promise.race([work, hung]);
      return this.wanted({ result });
    } catch (error) {
      // A handler that was aborted may throw anything: what aborted it is the reason.
      return this.wanted({ error: this.aborting.signal.aborted ? this.aborting.signal.reason : error });
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  private wanted(ending: Ending): Ending {
    return this.stopped ? null : ending;
  }

  /** At the deadline the signal is aborted; a handler that does not heed it within a lease is given up. */
  private deadline(giveUp: (error: InfraError) => void): NodeJS.Timeout[] {
    const { longestMs, timings, logger, fence } = this.options;
    const reason = new InfraError(`the work took longer than ${longestMs} ms`, {
      code: 'work_deadline',
      phase: 'lease',
      details: { longestMs },
    });
    // A handler that never ends must not keep the process from ending.
    const after = (ms: number, act: () => void): NodeJS.Timeout =>
      setTimeout(act, Math.min(ms, LONGEST_TIMER_MS)).unref();
    return [
      after(longestMs, () => {
        this.aborting.abort(reason);
      }),
      after(longestMs + timings.leaseMs, () => {
        if (!this.stopped) logger.error({ ...fence }, 'A handler does not heed its signal; its work is given up');
        giveUp(reason);
      }),
    ];
  }

  private async inSpan(): Promise<WorkResult<Fence['key']['kind']>> {
    const { grant, fence, handler, lease } = this.options;
    const { key, epoch, worker } = fence;
    const attributes = {
      [ATTRIBUTES.runId]: key.runId,
      [ATTRIBUTES.instanceId]: key.instanceId,
      [ATTRIBUTES.sample]: key.sample,
      [ATTRIBUTES.workKind]: key.kind,
      [ATTRIBUTES.attempt]: grant.attempt,
      [ATTRIBUTES.epoch]: epoch,
      [ATTRIBUTES.worker]: worker,
    };
    const parent = grant.traceparent === null ? { root: true } : { parent: grant.traceparent };
    return await inSpan(key.kind, { ...parent, kind: 'consumer', attributes }, async (span) => {
      this.traceparent = span.traceparent;
      lease.traceparent = span.traceparent;
      return (await invoke(handler, this.context(span.traceparent), undefined)) as WorkResult<Fence['key']['kind']>;
    });
  }

  private context(traceparent: string): WorkContext {
    const { grant, fence, lease, longestMs } = this.options;
    return {
      key: fence.key,
      epoch: fence.epoch,
      claimId: fence.claimId,
      attempt: grant.attempt,
      attemptId: grant.attemptId,
      spec: grant.spec,
      deadline: new Date(Date.now() + longestMs),
      signal: this.aborting.signal,
      runBudget: { spent: this.spending.signal, reached: () => this.reached },
      traceparent,
      phase: (phase) => {
        if (phase === lease.phase) return;
        lease.phase = phase;
        lease.kick();
      },
      spending: (read) => {
        lease.usage = read;
      },
      ensureFresh: (maxAgeMs) => lease.ensureFresh(maxAgeMs),
    };
  }
}
