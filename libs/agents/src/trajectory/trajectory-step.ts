/** A tool that the model called. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What came back to the model: of a tool call, or, where `callId` is null, of the step as a whole. */
export interface Observation {
  readonly callId: string | null;
  readonly content: string;
  readonly failed?: boolean;
}

/** Tokens of one reply. `promptTokens` holds the cached ones too. */
export interface StepTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
}

/** One step: what somebody said, the tools called by it, and what they gave. */
export interface TrajectoryStep {
  /** ISO 8601. */
  readonly timestamp: string;
  readonly source: 'system' | 'user' | 'agent';
  readonly message: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly observations?: readonly Observation[];
  readonly metrics?: StepTokens;
  /** Beside the format, e.g. the call whose sub-agent this is a step of. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Takes steps as they happen. Observations of a step's calls may come later than the step. */
export interface StepSink {
  step(step: TrajectoryStep): void;
  observed(observation: Observation): void;
}
