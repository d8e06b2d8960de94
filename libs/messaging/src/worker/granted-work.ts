import type { ClaimId, ClaimReply, ResultReply, RunBudget } from '@assay/contracts';
import { pause } from '../timing/pause';
import { type Fence, Lease } from './lease';
import { longestWorkMs } from './longest-work.policy';
import { Performance, type Stopped } from './performance';
import { ResultDelivery } from './result-delivery';
import { resultMessageOf } from './result-message';
import type { WakeUp } from './wake-up';
import type { WorkDeps } from './work-deps';
import type { FailedWork } from './work-types';

type Grant = Extract<ClaimReply, { answer: 'granted' }>;

const FIRST_PHASE = { trial: 'PREPARING', grade: 'GRADING', publication: 'PUBLISHING' } as const;

/** Granted work from its first heartbeat to the last verb: perform it, deliver the result, then ack. */
export class GrantedWork {
  readonly fence: Fence;
  private readonly lease: Lease;
  private readonly performance: Performance;
  private readonly delivery: ResultDelivery;
  private readonly stopDelivery = new AbortController();
  private readonly ended = new AbortController();
  private stage: 'working' | 'delivering' = 'working';

  constructor(
    private readonly deps: WorkDeps,
    grant: Grant,
    private readonly wakeUp: WakeUp,
    claimId: ClaimId,
  ) {
    const { timings, options } = deps;
    this.fence = { key: wakeUp.key, epoch: grant.epoch, claimId, worker: options.worker };
    const onLost = (reason: string): void => {
      this.lost(reason);
    };
    const phase = FIRST_PHASE[grant.spec.kind];
    const onSpent = (budget: RunBudget): void => {
      this.performance.spend(budget);
    };
    this.lease = new Lease({ ...deps, fence: this.fence, wakeUp, phase, onLost, onSpent });
    const longest = (options.longestWorkMs ?? longestWorkMs)(grant.spec);
    this.performance = new Performance({ ...deps, fence: this.fence, grant, lease: this.lease, longestMs: longest });
    this.delivery = new ResultDelivery({ ...deps, timings, maySpeak: () => this.lease.maySpeak });
  }

  /** Never rejects. */
  async run(): Promise<void> {
    if (this.deps.closing.aborted) {
      await this.release(0);
      return;
    }
    this.deps.logger.info({ ...this.fence }, 'Work granted');
    const first = await this.lease.beat();
    const keeping = this.lease.keep(first);
    try {
      await this.performAndDeliver();
    } finally {
      this.lease.stop();
      this.ended.abort();
      await Promise.all([keeping, this.performance.settled]);
    }
  }

  /** The run was cancelled: stop, and say nothing more. */
  cancel(): void {
    this.deps.logger.info({ ...this.fence }, 'Work cancelled');
    this.abandon('work_cancelled', 'the run was cancelled');
  }

  /**
   * The worker ends: the work goes back to the queue, its attempt not counted. A result that is on its way gets up to
   * `graceMs` to be answered; once the stream holds it, it will be recorded without us and nothing is released.
   */
  async release(graceMs: number): Promise<void> {
    if (this.stage === 'delivering') {
      await pause(graceMs, this.ended.signal);
      this.stopDelivery.abort();
      if (this.ended.signal.aborted || this.delivery.stored) return;
    }
    this.lease.stop();
    this.performance.stop('worker_shutdown', 'the worker ends');
    if (this.lease.isLost) return;
    const answer = await this.askRelease();
    this.deps.logger.info({ ...this.fence, answer }, 'Work released');
    if (answer === 'lost' || (answer === null && !this.lease.maySpeak)) this.wakeUp.silence();
    else this.wakeUp.giveBack(0);
  }

  private async performAndDeliver(): Promise<void> {
    const { toFailedOutcome } = this.deps.options;
    const ending = await this.performance.run();
    if (ending === null) return;
    this.stage = 'delivering';
    const work: FailedWork = { kind: this.fence.key.kind, spec: this.performance.spec, phase: this.lease.phase };
    const message = resultMessageOf(this.fence, work, ending, toFailedOutcome);
    const { outcome } = message;
    const why = outcome.kind === 'failed' ? { failure: outcome.failure } : {};
    this.deps.logger.info({ ...this.fence, outcome: outcome.kind, ...why }, 'Work ended');
    await this.conclude(await this.delivery.run(message, this.performance.traceparent, this.stopDelivery.signal));
  }

  private async conclude(reply: ResultReply | null): Promise<void> {
    const { logger } = this.deps;
    if (reply === null) {
      logger.warn({ ...this.fence, stored: this.delivery.stored }, 'Result not answered');
      return;
    }
    if (reply.answer !== 'refused') {
      logger.info({ ...this.fence, answer: reply.answer }, 'Result recorded');
      this.wakeUp.ack();
      return;
    }
    logger.warn({ ...this.fence, reason: reply.reason }, 'Result refused');
    // Whether the message is still ours to end, the coordinator says.
    if ((await this.lease.beat()) === 'accepted') this.wakeUp.ack();
    else this.wakeUp.silence();
  }

  private lost(reason: string): void {
    this.deps.logger.warn({ ...this.fence, reason }, 'Lease lost');
    if (this.stage === 'working') this.abandon('lease_lost', reason);
    // The heartbeat may have met our own result being recorded: its answer is then under way.
    else
      void pause(this.deps.timings.rpcTimeoutMs, this.ended.signal).then(() => {
        this.stopDelivery.abort();
      });
  }

  private abandon(code: Stopped, reason: string): void {
    this.wakeUp.silence();
    this.lease.stop();
    this.stopDelivery.abort();
    this.performance.stop(code, reason);
  }

  /** Null when nobody answers; asked twice. */
  private async askRelease(): Promise<'ok' | 'lost' | null> {
    const { rpc, logger, timings } = this.deps;
    for (const last of [false, true]) {
      try {
        const timeoutMs = timings.rpcTimeoutMs / 2;
        return (await rpc.call('release', this.fence, { timeoutMs, traceparent: this.performance.traceparent })).answer;
      } catch (error) {
        if (last) logger.warn({ ...this.fence, err: error }, 'Release not answered');
      }
    }
    return null;
  }
}
