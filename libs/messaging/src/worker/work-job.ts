import type { JsMsg } from '@nats-io/jetstream';
import { assertNever, type ClaimReply, type ResultMessage, type WorkKey, type WorkKind } from '@assay/contracts';
import { jittered } from '../timing/jitter.policy';
import { claim } from './claim';
import { GrantedWork } from './granted-work';
import { WakeUp } from './wake-up';
import type { WorkDeps } from './work-deps';

type Grant = Extract<ClaimReply, { answer: 'granted' }>;

/** One delivered message from its claim to its last verb (design section 3a). */
export class WorkJob {
  private granted: GrantedWork | null = null;

  constructor(
    private readonly kind: WorkKind,
    private readonly deps: WorkDeps,
  ) {}

  /** Whether it holds granted work. */
  get holds(): boolean {
    return this.granted !== null;
  }

  /** Never rejects. @param idle whether no other slot of this worker holds work */
  async run(message: JsMsg, idle: boolean): Promise<void> {
    const { link, timings, logger } = this.deps;
    const wakeUp = WakeUp.of(message, link, timings.leaseMs);
    if (wakeUp === null) {
      logger.error({ subject: message.subject }, 'Malformed work message thrown away');
      if (link.connected) message.term();
      return;
    }
    if (!(await this.ready(wakeUp))) return;
    const claimed = await claim({ ...this.deps, ...this.deps.options, wakeUp, idle });
    if (claimed.reply === null) {
      this.giveUpClaim(wakeUp);
      return;
    }
    await this.obey(claimed.reply, wakeUp, claimed.claimId);
  }

  /** Stops granted work that this message means. */
  cancel(matches: (key: WorkKey) => boolean): void {
    if (this.granted !== null && matches(this.granted.fence.key)) this.granted.cancel();
  }

  /** Gives work back because the worker ends. Without granted work the claim does so by itself. */
  async release(graceMs: number): Promise<void> {
    await this.granted?.release(graceMs);
  }

  private async ready(wakeUp: WakeUp): Promise<boolean> {
    const { options, timings, logger } = this.deps;
    try {
      await options.ready?.();
      return true;
    } catch (error) {
      logger.warn({ key: wakeUp.key, err: error }, 'Not able to work now; giving the message back unclaimed');
      wakeUp.giveBack(jittered(timings.refusedDelayMs));
      return false;
    }
  }

  private async obey(reply: ClaimReply, wakeUp: WakeUp, claimId: ResultMessage['claimId']): Promise<void> {
    const { logger } = this.deps;
    const { key } = wakeUp;
    switch (reply.answer) {
      case 'granted':
        await this.work(reply, wakeUp, claimId);
        return;
      case 'done':
      case 'waiting':
        logger.debug({ key, answer: reply.answer }, 'Nothing to do for a work message');
        wakeUp.ack();
        return;
      case 'held':
        logger.debug({ key, retryInMs: reply.retryInMs }, 'Another worker holds this work');
        wakeUp.giveBack(jittered(reply.retryInMs));
        return;
      case 'refused':
        logger.warn({ key, reason: reply.reason }, 'The coordinator refused this worker');
        wakeUp.giveBack(jittered(reply.retryInMs));
        return;
      case 'lost':
        logger.warn({ key, claimId }, 'A claim lost its grant before it was answered');
        wakeUp.silence();
        return;
      default:
        assertNever(reply);
    }
  }

  private async work(grant: Grant, wakeUp: WakeUp, claimId: ResultMessage['claimId']): Promise<void> {
    if (grant.spec.kind !== this.kind) {
      this.deps.logger.error({ key: wakeUp.key, granted: grant.spec.kind }, 'A grant of another kind ignored');
      wakeUp.silence();
      return;
    }
    this.granted = new GrantedWork(this.deps, grant, wakeUp, claimId);
    try {
      await this.granted.run();
    } finally {
      this.granted = null;
    }
  }

  private giveUpClaim(wakeUp: WakeUp): void {
    const { logger, closing, timings } = this.deps;
    if (!closing.aborted) logger.warn({ key: wakeUp.key }, 'Nobody answered the claim; the message is given back');
    wakeUp.giveBack(closing.aborted ? 0 : jittered(timings.heartbeatMs / 25));
  }
}
