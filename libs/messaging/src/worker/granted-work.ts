import { ResultMessage, type ClaimId, type ClaimReply, type WorkKind, type WorkPhase } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { ATTRIBUTES, inSpan } from '@assay/telemetry';
import { invoke } from '../server/invoke';
import { pause } from '../timing/pause';
import { failedOutcome } from './failed-outcome';
import { Lease, type Fence } from './lease';
import { longestWorkMs } from './longest-work.policy';
import { ResultDelivery } from './result-delivery';
import type { WakeUp } from './wake-up';
import type { WorkDeps } from './work-deps';
import type { WorkContext, WorkResult } from './work-types';

type Grant = Extract<ClaimReply, { answer: 'granted' }>;

/** What a piece of work shows before its handler says anything. */
const FIRST_PHASE: Readonly<Record<WorkKind, WorkPhase>> = {
  trial: 'PREPARING',
  grade: 'GRADING',
  publication: 'PUBLISHING',
};

/** Reasons after which no result is sent: the work is not ours any more, or is given back. */
const SILENT = ['lease_lost', 'work_cancelled', 'worker_shutdown'];

/** Granted work from its first heartbeat to its last verb. */
export class GrantedWork {
  readonly fence: Fence;
  private readonly lease: Lease;
  private readonly delivery: ResultDelivery;
  private readonly stopping = new AbortController();
  /** Aborted when nothing more may be sent for the work. */
  private readonly silenced = new AbortController();
  private readonly finished: Promise<void>;
  private finish: () => void = () => undefined;
  private phase: WorkPhase;

  constructor(
    private readonly deps: WorkDeps,
    private readonly grant: Grant,
    private readonly wakeUp: WakeUp,
    claimId: ClaimId,
  ) {
    const { rpc, timings, watch, logger, link, options } = deps;
    this.fence = { key: wakeUp.key, epoch: grant.epoch, claimId, worker: options.worker };
    this.phase = FIRST_PHASE[grant.spec.kind];
    this.lease = new Lease({
      fence: this.fence,
      wakeUp,
      rpc,
      timings,
      watch,
      logger,
      phase: this.phase,
      onLost: (reason) => {
        logger.warn({ ...this.fence, reason }, 'Work lost; it is stopped and nothing more is sent for it');
        this.abort('lease_lost', `the work is no longer ours: ${reason}`);
      },
    });
    this.delivery = new ResultDelivery({ link, timings, logger, maySpeak: () => this.lease.maySpeak });
    this.finished = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { logger } = this.deps;
    const { kind } = this.grant.spec;
    logger.info({ ...this.fence, attempt: this.grant.attempt, kind }, 'Work granted');
    const beating = this.lease.keep();
    try {
      await inSpan(
        kind,
        { parent: this.grant.traceparent, kind: 'consumer', attributes: this.attributes() },
        (span) => {
          this.lease.traceparent = span.traceparent;
          return this.work(span.traceparent);
        },
      );
    } catch (error) {
      logger.error({ ...this.fence, err: error }, 'Work ended without a result; its lease will run out');
    } finally {
      this.lease.stop();
      await beating;
      this.finish();
    }
  }

  /** The run was cancelled: the work is killed and nothing more is sent. */
  cancel(): void {
    this.deps.logger.info({ ...this.fence }, 'Work cancelled');
    this.wakeUp.silence();
    this.abort('work_cancelled', 'the run was cancelled');
  }

  /**
   * Gives the work back because this worker ends, unless its result is stored already: that one is waited for. Resolves
   * when the handler has ended, at the latest after `graceMs`.
   */
  async release(graceMs: number): Promise<void> {
    if (!this.delivery.stored) {
      this.abort('worker_shutdown', 'the worker ends');
      await this.giveBack();
    }
    const over = new AbortController();
    await Promise.race([this.finished, pause(graceMs, over.signal)]);
    over.abort();
  }

  private async giveBack(): Promise<void> {
    const { rpc, logger } = this.deps;
    this.lease.stop();
    try {
      const reply = await rpc.call('release', this.fence);
      logger.info({ ...this.fence, answer: reply.answer }, 'Work given back');
      if (reply.answer === 'ok') this.wakeUp.giveBack(0);
      else this.wakeUp.silence();
    } catch (error) {
      logger.warn({ ...this.fence, err: error }, 'Nobody took the work back; its lease will run out');
    }
  }

  private async work(traceparent: string): Promise<void> {
    const limitMs = (this.deps.options.longestWorkMs ?? longestWorkMs)(this.grant.spec);
    const timer = setTimeout(() => {
      this.abort('work_deadline', `the work took longer than ${limitMs} ms in all`);
    }, limitMs);
    try {
      const result = await this.handle(traceparent, new Date(Date.now() + limitMs));
      if (!this.silenced.signal.aborted) await this.deliver(result, traceparent);
    } finally {
      clearTimeout(timer);
    }
  }

  private async handle(traceparent: string, deadline: Date): Promise<WorkResult<WorkKind>> {
    const { handler, options, logger } = this.deps;
    const { grant, fence, lease, stopping } = this;
    const context: WorkContext = {
      key: fence.key,
      epoch: fence.epoch,
      claimId: fence.claimId,
      attempt: grant.attempt,
      attemptId: grant.attemptId,
      spec: grant.spec,
      deadline,
      signal: stopping.signal,
      traceparent,
      phase: (phase) => {
        this.phase = phase;
        lease.phase = phase;
        lease.kick();
      },
      ensureFresh: (maxAgeMs) => lease.ensureFresh(maxAgeMs),
    };
    try {
      return (await invoke(handler, context, context)) as WorkResult<WorkKind>;
    } catch (thrown) {
      // A handler that was stopped may throw anything; what stopped it is the reason.
      const error: unknown = stopping.signal.aborted ? stopping.signal.reason : thrown;
      if (!this.silenced.signal.aborted) logger.warn({ ...fence, phase: this.phase, err: error }, 'Work failed');
      const outcome = (options.toFailedOutcome ?? failedOutcome)(error, {
        kind: grant.spec.kind,
        spec: grant.spec,
        phase: this.phase,
      });
      return { outcome, artifacts: [] };
    }
  }

  /** Sends the result and, once it is recorded, the ack. Heartbeats go on until then. */
  private async deliver({ outcome, artifacts }: WorkResult<WorkKind>, traceparent: string): Promise<void> {
    const { logger } = this.deps;
    const message = ResultMessage.parse({ kind: this.grant.spec.kind, ...this.fence, artifacts, outcome });
    const reply = await this.delivery.run(message, traceparent, this.silenced.signal);
    if (reply === null) return;
    if (reply.answer === 'refused') {
      logger.warn({ ...this.fence, reason: reply.reason }, 'Result refused; nothing more is sent for it');
      this.wakeUp.silence();
      return;
    }
    logger.info({ ...this.fence, answer: reply.answer, outcome: outcome.kind }, 'Result recorded');
    this.wakeUp.ack();
  }

  private abort(code: string, message: string): void {
    if (SILENT.includes(code)) this.silenced.abort();
    if (!this.stopping.signal.aborted) this.stopping.abort(new InfraError(message, { code, phase: 'lease' }));
  }

  private attributes(): Record<string, string | number> {
    const { key, epoch, worker } = this.fence;
    return {
      [ATTRIBUTES.workKind]: key.kind,
      [ATTRIBUTES.runId]: key.runId,
      [ATTRIBUTES.instanceId]: key.instanceId,
      [ATTRIBUTES.sample]: key.sample,
      [ATTRIBUTES.epoch]: epoch,
      [ATTRIBUTES.attempt]: this.grant.attempt,
      [ATTRIBUTES.worker]: worker,
    };
  }
}
