import type { ClaimId, RunBudget, Timings, Usage, WorkerId, WorkKey, WorkPhase } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import type { EventLog } from '../event-log';
import type { RpcClient } from '../rpc/rpc.client';
import { pause } from '../timing/pause';
import type { StallWatch } from '../timing/stall-watch';
import type { WakeUp } from './wake-up';

export type Beat = 'accepted' | 'lost' | 'unanswered';

export interface Fence {
  readonly key: WorkKey;
  readonly epoch: number;
  readonly claimId: ClaimId;
  readonly worker: WorkerId;
}

export interface LeaseOptions {
  readonly fence: Fence;
  readonly wakeUp: WakeUp;
  readonly rpc: RpcClient;
  readonly timings: Timings;
  readonly watch: StallWatch;
  readonly logger: EventLog;
  readonly phase: WorkPhase;
  /** Called once, when the coordinator says that the work is not ours any more. */
  readonly onLost: (reason: string) => void;
  /** Called when a heartbeat is accepted, and the run's budget is used up; again with every further one. */
  readonly onSpent: (budget: RunBudget) => void;
}

/** Holds granted work: heartbeats to the coordinator and, when they are accepted, in-progress to JetStream. */
export class Lease {
  phase: WorkPhase;
  /** What the work has spent so far; null: nothing is counted. */
  usage: () => Usage | null = () => null;
  traceparent: string | null = null;
  private acceptedAt = Number.NEGATIVE_INFINITY;
  private acceptedGeneration: number;
  private beating: Promise<Beat> | null = null;
  private waiting = new AbortController();
  private ended: 'lost' | 'stopped' | null = null;

  constructor(private readonly options: LeaseOptions) {
    this.phase = options.phase;
    this.acceptedGeneration = options.watch.generation();
  }

  get isLost(): boolean {
    return this.ended === 'lost';
  }

  /** False from a stall of this process until the coordinator has accepted a heartbeat sent after it. */
  get maySpeak(): boolean {
    return this.ended !== 'lost' && this.options.watch.generation() === this.acceptedGeneration;
  }

  /**
   * Heartbeats until `stop` or the loss of the lease. Never rejects.
   * @param first how the heartbeat right after the grant went
   */
  async keep(first: Beat): Promise<void> {
    const { heartbeatMs } = this.options.timings;
    let beat = first;
    while (this.ended === null) {
      await pause(beat === 'accepted' ? heartbeatMs : heartbeatMs / 5, this.waiting.signal);
      if (this.isOver()) return;
      // Renewed before the beat: what kicks during it makes another one follow at once.
      this.waiting = new AbortController();
      beat = await this.beat();
    }
  }

  /** Makes `keep` send the next heartbeat at once. */
  kick(): void {
    this.waiting.abort();
  }

  /** No more heartbeats: the work is over. */
  stop(): void {
    this.ended ??= 'stopped';
    this.kick();
  }

  /** One heartbeat, after the one that is under way. Never rejects. */
  async beat(): Promise<Beat> {
    while (this.beating !== null) await this.beating;
    if (this.ended === 'lost') return 'lost';
    this.beating = this.send();
    try {
      return await this.beating;
    } finally {
      this.beating = null;
    }
  }

  /**
   * Resolves if a heartbeat was accepted within `maxAgeMs`, asking once if not.
   * @throws InfraError `lease_lost`
   */
  async ensureFresh(maxAgeMs: number): Promise<void> {
    if (this.isFresh(maxAgeMs)) return;
    const beat = await this.beat();
    if (beat === 'accepted' && this.isFresh(maxAgeMs)) return;
    throw new InfraError(
      beat === 'lost' ? 'the work is no longer ours' : `no heartbeat was accepted within ${maxAgeMs} ms`,
      { code: 'lease_lost', phase: 'lease', details: { beat, maxAgeMs } },
    );
  }

  private isOver(): boolean {
    return this.ended !== null;
  }

  private isFresh(maxAgeMs: number): boolean {
    return this.ended === null && this.maySpeak && performance.now() - this.acceptedAt <= maxAgeMs;
  }

  private async send(): Promise<Beat> {
    const { rpc, fence, timings, watch, wakeUp, logger } = this.options;
    const sentAt = performance.now();
    const generation = watch.generation();
    const timeoutMs = Math.min(timings.rpcTimeoutMs, timings.heartbeatMs);
    try {
      const request = { ...fence, phase: this.phase, usage: this.usage() };
      const reply = await rpc.call('heartbeat', request, { timeoutMs, traceparent: this.traceparent });
      if (reply.answer === 'lost') return this.lose(reply.reason);
      if (reply.answer === 'spent') this.options.onSpent(reply.budget);
      this.acceptedAt = sentAt;
      this.acceptedGeneration = generation;
      if (this.maySpeak) wakeUp.confirmed();
      return 'accepted';
    } catch (error) {
      logger.warn({ ...fence, err: error }, 'Heartbeat not answered; the work goes on');
      if (this.maySpeak) wakeUp.inProgress();
      return 'unanswered';
    }
  }

  private lose(reason: string): Beat {
    const before = this.ended;
    this.ended = 'lost';
    if (before === null) this.options.onLost(reason);
    return 'lost';
  }
}
