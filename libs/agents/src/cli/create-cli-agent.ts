import { BlamedError, InfraError } from '@assay/failures';
import { taskPrompt } from '../task-prompt';
import { redactorOf } from '../trajectory/redaction';
import type { PlacedLayer } from '../layers/agent-layer';
import type { AgentReport, AgentRun, GatewayAccess, TrialAgent } from '../trial-agent.port';
import { builtInVersion, type CliAdapter, type CliPlan } from './cli-adapter';
import { endOf } from './conclude';
import { AgentHome } from './home';
import { LayerKnowledge } from './layer-knowledge';
import { launch } from './launch';
import { keepOwnLogs } from './own-logs';
import { StreamRecord } from './stream-record';

/** Of the time that is left an agent is told this much less, so that it can end by itself: a tenth, at most 10 s. */
const MARGIN_SHARE = 0.1;
const LONGEST_MARGIN_MS = 10_000;

/** Makes an agent that the executor can run of the description of a command-line program. */
export function createCliAgent(adapter: CliAdapter): TrialAgent {
  const knowledge = new LayerKnowledge(adapter);
  return {
    name: adapter.name,
    version: adapter.package?.version ?? builtInVersion,
    model: 'inside',
    package: adapter.package,
    turnsByCalls: adapter.turnsByCalls ?? false,
    async run(run): Promise<AgentReport> {
      const gateway = gatewayOf(run);
      const layer = layerOf(adapter, run);
      const record = new StreamRecord(run.steps);
      try {
        return await work(run, { adapter, knowledge, gateway, layer, record });
      } catch (error) {
        if (run.signal.aborted) return reportOf(record, { limit: 'time', crash: null });
        if (error instanceof BlamedError) return reportOf(record, { limit: null, crash: error });
        throw error;
      }
    },
  };
}

interface Parts {
  readonly adapter: CliAdapter;
  readonly knowledge: LayerKnowledge;
  readonly gateway: GatewayAccess;
  readonly layer: PlacedLayer | null;
  readonly record: StreamRecord;
}

async function work(run: AgentRun, parts: Parts): Promise<AgentReport> {
  const { adapter, record, layer, gateway } = parts;
  const home = await AgentHome.make(run.sandbox, run.signal);
  const known = await parts.knowledge.of(run.sandbox, layer, { home: home.dir, signal: run.signal });
  const plan = planOf(run, parts, { home: home.dir, takes: (flag) => known.takes(flag) });
  await home.furnish(plan);
  const ending = await launch(run, {
    plan,
    home,
    record,
    reader: adapter.reader(record),
    layer,
    secret: gateway.token,
  });
  const { recordFile } = adapter;
  if (recordFile !== undefined) {
    const text = await home.read(recordFile.path);
    if (text !== null) recordFile.read(redactorOf([gateway.token]).text(text), record);
  }
  await keepOwnLogs(run, { adapter, home: home.dir, secret: gateway.token });
  return reportOf(record, endOf(adapter, ending, { record, layer, turns: run.limits.turns }));
}

function planOf(
  run: AgentRun,
  parts: Parts,
  { home, takes }: { home: string; takes: (flag: string) => boolean },
): CliPlan {
  const { adapter, gateway, layer, record } = parts;
  const left = run.deadline.getTime() - Date.now();
  const prompt = taskPrompt(run);
  const told = left - Math.min(LONGEST_MARGIN_MS, left * MARGIN_SHARE);
  record.said({ timestamp: new Date().toISOString(), source: 'user', message: prompt });
  return adapter.plan({
    prompt,
    model: run.model,
    gateway,
    layer,
    home,
    workdir: run.sandbox.workdir,
    seconds: Math.max(1, Math.floor(told / 1000)),
    limits: run.limits,
    options: run.options,
    takes,
  });
}

function reportOf(record: StreamRecord, end: Pick<AgentReport, 'limit' | 'crash'>): AgentReport {
  return { ...end, usage: record.usage(), model: record.evidence(), steps: record.steps() };
}

function gatewayOf({ gateway }: AgentRun): GatewayAccess {
  if (gateway !== undefined && gateway !== null) return gateway;
  throw new InfraError('this executor has no model gateway for its sandboxes', {
    code: 'model_not_configured',
    phase: 'agent',
  });
}

function layerOf(adapter: CliAdapter, { layer }: AgentRun): PlacedLayer | null {
  if (adapter.package === null) return null;
  if (layer !== undefined && layer !== null) return layer;
  throw new InfraError(`the package of ${adapter.name} is not in the sandbox`, {
    code: 'agent_layer_missing',
    phase: 'agent',
  });
}
