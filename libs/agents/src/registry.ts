import { TaskError } from '@assay/failures';
import { createMiniAgent } from './mini/mini.agent';
import { nopAgent } from './nop.agent';
import { oracleAgent } from './oracle/oracle.agent';
import type { TrialAgent } from './trial-agent.port';

const AGENTS: readonly TrialAgent[] = [createMiniAgent(), nopAgent, oracleAgent];

/** The agents of this build. Integrity is null: they are part of it. */
export const KNOWN_AGENTS: readonly { name: string; version: string; integrity: string | null }[] = AGENTS.map(
  ({ name, version }) => ({ name, version, integrity: null }),
);

/** @throws TaskError `agent_unknown` naming those there are */
export function agentNamed(name: string): TrialAgent {
  const found = AGENTS.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const known = AGENTS.map((agent) => agent.name).join(', ');
  throw new TaskError(`there is no agent ${name} (known: ${known})`, {
    code: 'agent_unknown',
    phase: 'prepare',
    details: { name, known },
  });
}
