import { AgentError, type FailureCode, InfraError } from '@assay/failures';
import type { PlacedLayer } from '../layers/agent-layer';
import type { AgentReport } from '../trial-agent.port';
import type { CliAdapter, CliEnd } from './cli-adapter';
import type { Ending } from './launch';
import { cannotStart, versionDiffers } from './layer-knowledge';
import { providerFailure } from './provider-failure';
import type { StreamRecord } from './stream-record';

interface Told {
  readonly record: StreamRecord;
  readonly layer: PlacedLayer | null;
  readonly turns: number | null;
}

/**
 * What an ending means. First what we did to it, then what the sandbox saw, last what the agent's exit code says. An agent
 * that has told of its end in the moment in which it was to be stopped has ended well; exit 0 alone says nothing there
 * (gemini-cli answers a SIGTERM so).
 */
export function endOf(adapter: CliAdapter, ending: Ending, told: Told): Pick<AgentReport, 'limit' | 'crash'> {
  const { exitCode, stopped, outOfMemory, tail, launched } = ending;
  const { record, layer } = told;
  if (stopped === 'version' || differs(record, layer)) {
    return crash(versionDiffers(adapter.name, layer?.version ?? '', record.version ?? 'nothing'));
  }
  if (stopped === 'turns') return { limit: 'turns', crash: null };
  if (stopped === 'time' && !(exitCode === 0 && record.finished)) return { limit: 'time', crash: null };
  if (outOfMemory) return crash(agentError('agent_out_of_memory', 'the agent was killed for memory', ending));
  if (exitCode === null) return crash(agentError('agent_crashed', 'the agent was killed', ending));
  if (!launched || (cannotStart(exitCode) && record.replies === 0)) {
    const details = { exitCode, tail };
    const options = { code: 'agent_not_started', phase: 'agent', details } as const;
    return crash(new InfraError(`the agent cannot be started: exit ${exitCode}: ${lastLine(tail)}`, options));
  }
  return asReport(adapter.ended({ exitCode, record, tail }));
}

/** For adapters: an exit that is no success is the provider's failure where the agent says so, else the agent's own. */
export function failedEnd(exitCode: number, record: StreamRecord, tail: string): CliEnd {
  const said = record.failure ?? lastLine(tail);
  const ofProvider = providerFailure(said);
  if (ofProvider !== null) return { kind: 'crash', error: ofProvider };
  const details = { exitCode, tail: tail.slice(-2_000) };
  const message = `the agent ended with exit ${exitCode}: ${said.slice(0, 1_000)}`;
  return { kind: 'crash', error: new AgentError(message, { code: 'agent_crashed', phase: 'agent', details }) };
}

function differs(record: StreamRecord, layer: PlacedLayer | null): boolean {
  return layer !== null && record.version !== null && record.version !== layer.version;
}

function asReport(end: CliEnd): Pick<AgentReport, 'limit' | 'crash'> {
  switch (end.kind) {
    case 'done':
      return { limit: null, crash: null };
    case 'limit':
      return { limit: end.limit, crash: null };
    case 'crash':
      return crash(end.error);
  }
}

function crash(error: NonNullable<AgentReport['crash']>): Pick<AgentReport, 'limit' | 'crash'> {
  return { limit: null, crash: error };
}

function agentError(code: FailureCode, message: string, { exitCode, tail }: Ending): AgentError {
  return new AgentError(message, { code, phase: 'agent', details: { exitCode, tail: tail.slice(-2_000) } });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}
