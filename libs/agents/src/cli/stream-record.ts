import type { ModelEvidence, Usage } from '@assay/contracts';
import { StepList } from '../trajectory/step-list';
import type { Observation, StepSink, StepTokens, TrajectoryStep } from '../trajectory/trajectory-step';

/** Tokens of a whole run. */
export interface TotalTokens extends StepTokens {
  readonly calls?: number;
  readonly costUsd?: number | null;
}

/** What an agent's own stream told, so far. Its numbers are its own: what the gateway saw outranks them. */
export class StreamRecord {
  private readonly list = new StepList();
  private readonly counted: { -readonly [K in keyof StepTokens]: number } = {
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
  };
  private replyCount = 0;
  private uncounted = 0;
  private total: TotalTokens | null = null;
  private failureText: string | null = null;
  private failedLast = false;

  /** The version that the agent says it is; null: it did not say. */
  version: string | null = null;
  /** Whether the agent told of its own end. */
  finished = false;

  constructor(private readonly sink: StepSink | undefined) {}

  /** Completed replies of the model. */
  get replies(): number {
    return this.replyCount;
  }

  /** What the agent last said went wrong, after which no reply came. */
  get failure(): string | null {
    return this.failureText;
  }

  said(step: TrajectoryStep): void {
    this.list.step(step);
    this.sink?.step(step);
  }

  /** A completed reply. Without `metrics` its tokens are in no sum. */
  replied(step: TrajectoryStep): void {
    this.replyCount += 1;
    this.failedLast = false;
    this.failureText = null;
    const { metrics } = step;
    if (metrics === undefined) this.uncounted += 1;
    else {
      this.counted.promptTokens += metrics.promptTokens;
      this.counted.completionTokens += metrics.completionTokens;
      this.counted.cachedTokens += metrics.cachedTokens;
    }
    this.said(step);
  }

  observed(observation: Observation): void {
    this.list.observed(observation);
    this.sink?.observed(observation);
  }

  /** The agent's own sum, which outranks the sum of its replies. */
  summed(total: TotalTokens): void {
    this.total = total;
  }

  failed(text: string, upstream: boolean): void {
    this.failureText = text;
    this.failedLast = upstream;
  }

  steps(): TrajectoryStep[] {
    return this.list.all();
  }

  usage(): Usage {
    const { promptTokens, completionTokens, cachedTokens } = this.total ?? this.counted;
    return {
      calls: this.total?.calls ?? this.replyCount,
      promptTokens,
      completionTokens,
      cachedTokens: Math.min(cachedTokens, promptTokens),
      costUsd: this.total?.costUsd ?? null,
      estimated: this.total === null && this.uncounted > 0,
    };
  }

  evidence(): ModelEvidence {
    return { usesModel: true, completedExchanges: this.replyCount, lastFailedUpstream: this.failedLast };
  }
}
