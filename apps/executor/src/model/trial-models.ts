import { join } from 'node:path';
import type { GatewayAccess, ModelEndpoint, TrialAgent } from '@assay/agents';
import type { Usage } from '@assay/contracts';
import type { WorkContext } from '@assay/messaging';
import { type GatewayUsage, type ModelGateway, type OpenTrial, usageOf } from '@assay/model-gateway';
import type { Gateway, Sandbox } from '@assay/sandbox';
import { budgetsOf, type TrialBudgets } from './trial-budgets';

/** This executor's gateway, and where it listens. */
export interface ListeningGateway {
  readonly gateway: ModelGateway;
  readonly at: Gateway;
}

/** A trial's way to the model. All of it ends with `close`. */
export interface TrialModel {
  /** What the sandbox's network leads to; null: to nothing. */
  readonly network: Gateway | null;
  /** Raised when a budget refused a call. */
  readonly spent: AbortSignal;
  /** What a bound of calls is called in the result. */
  readonly callsAre: TrialBudgets['callsAre'];
  /** What must be found nowhere. */
  readonly secrets: readonly string[];
  /** The exchanges as they were; null: there can be none. */
  readonly recordFile: string | null;
  /** For an agent whose loop runs in this process. */
  readonly endpoint: ModelEndpoint | null;
  /** For an agent that runs inside. */
  inside(sandbox: Sandbox): GatewayAccess | null;
  /** What the gateway has counted so far; null: there is none. */
  readonly usage: (() => Usage) | null;
  /** Revokes the token; what the gateway saw, null where there was none. */
  close(): Promise<GatewayUsage | null>;
}

/** Opens the way to the model for one trial after the other: the key stays in the gateway, a trial has its own token. */
export class TrialModels {
  /** @param listening null: this executor has no model */
  constructor(private readonly listening: ListeningGateway | null) {}

  /** @throws InfraError where the gateway cannot take the trial, e.g. `model_unpriced` */
  async open(agent: TrialAgent, { key, attemptId, spec }: WorkContext<'trial'>, dir: string): Promise<TrialModel> {
    if (agent.model === 'none' || this.listening === null) return noModel();
    const { gateway, at } = this.listening;
    const spent = new AbortController();
    const recordFile = join(dir, 'exchanges.jsonl.gz');
    const { limits: budgets, callsAre } = budgetsOf(agent, spec.limits);
    const trial = await gateway.open({
      key: `${key.runId}/${key.instanceId}/${attemptId}`,
      budgets,
      recordFile,
      onLimit: () => {
        spent.abort();
      },
    });
    return openModel(trial, { at, spent: spent.signal, callsAre, recordFile, inside: agent.model === 'inside' });
  }
}

interface OpenParts {
  readonly at: Gateway;
  readonly spent: AbortSignal;
  readonly callsAre: TrialBudgets['callsAre'];
  readonly recordFile: string;
  readonly inside: boolean;
}

function openModel(trial: OpenTrial, { at, spent, callsAre, recordFile, inside }: OpenParts): TrialModel {
  const { token } = trial;
  return {
    network: inside ? at : null,
    spent,
    callsAre,
    secrets: [token],
    recordFile,
    endpoint: inside ? null : { baseUrl: `${at.loopbackUrl}/v1`, apiKey: token },
    inside: ({ gatewayUrl }) => (gatewayUrl === null ? null : { url: gatewayUrl, token }),
    usage: () => usageOf(trial.usage()),
    close: () => trial.close(),
  };
}

/** A signal of its own for each trial: what listens to one that never goes would pile up. */
function noModel(): TrialModel {
  return {
    network: null,
    spent: new AbortController().signal,
    callsAre: 'calls',
    secrets: [],
    recordFile: null,
    endpoint: null,
    inside: () => null,
    usage: null,
    close: () => Promise.resolve(null),
  };
}
