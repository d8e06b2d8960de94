import type { ModelEvidence, ReachedLimit, TrialLimits, Usage } from '@assay/contracts';
import type { BlamedError } from '@assay/failures';
import type { Sandbox } from '@assay/sandbox';
import type { PlacedLayer } from './layers/agent-layer';
import type { AgentPackage } from './layers/agent-package';
import type { StepSink, TrajectoryStep } from './trajectory/trajectory-step';

/** What the agent is asked. Solution parts are null for every agent but the oracle. */
export interface AgentTask {
  readonly instanceId: string;
  readonly instruction: string;
  /** Folder of the host with solve.sh. */
  readonly solutionDir: string | null;
  readonly solutionEnv: Readonly<Record<string, string>>;
  /** A git patch. */
  readonly solutionPatch: string | null;
  /** The task's own variables for commands. */
  readonly env: Readonly<Record<string, string>>;
}

/** Where the model is and what opens it. The key never enters a sandbox. */
export interface ModelEndpoint {
  /** e.g. `https://api.example/v1` */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The way to the model from inside a sandbox. */
export interface GatewayAccess {
  /** Base address without a path, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Opens it for this trial alone. */
  readonly token: string;
}

export interface AgentRun {
  readonly sandbox: Sandbox;
  readonly task: AgentTask;
  readonly limits: TrialLimits;
  readonly options: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** Null: this executor has no model. */
  readonly endpoint: ModelEndpoint | null;
  /** The agent's own deadline. */
  readonly deadline: Date;
  /** Aborted when the agent must stop: at its deadline, or because the work is not ours any more. */
  readonly signal: AbortSignal;
  /** Raw output for the agent's log. */
  readonly log: (text: string) => void;
  /** Told of steps as they happen. */
  readonly steps?: StepSink;
  /** For agents that run inside the sandbox; null: there is no gateway. */
  readonly gateway?: GatewayAccess | null;
  /** The agent's package where the sandbox sees it; null for agents that are part of this build. */
  readonly layer?: PlacedLayer | null;
  /** An empty folder of the host that takes the files which the agent itself wrote about its work; null: not wanted. */
  readonly ownLogsDir?: string | null;
}

/** What the agent did. A crash is `crash`, so that its steps and its usage are kept. */
export interface AgentReport {
  readonly limit: ReachedLimit | null;
  readonly usage: Usage;
  readonly model: ModelEvidence;
  readonly steps: readonly TrajectoryStep[];
  readonly crash: BlamedError | null;
}

/** An agent that the executor can run. */
export interface TrialAgent {
  readonly name: string;
  /** For an agent with a package the version that is taken where nobody names one. */
  readonly version: string;
  /** Where it asks a model from: nowhere, from this process (`endpoint`), or from inside its sandbox (`gateway`). */
  readonly model: 'none' | 'here' | 'inside';
  /** What has to be in the sandbox for it; absent or null: nothing. */
  readonly package?: AgentPackage | null;
  /** True: a limit of turns holds for it only where the gateway bounds its calls by the same number. */
  readonly turnsByCalls?: boolean;
  /** Works in the sandbox until it is done. Throws InfraError for our faults; its own are in the report. */
  run(run: AgentRun): Promise<AgentReport>;
}

export const NO_USAGE: Usage = {
  calls: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  costUsd: null,
  estimated: false,
};

export const NO_MODEL: ModelEvidence = { usesModel: false, completedExchanges: 0, lastFailedUpstream: false };
