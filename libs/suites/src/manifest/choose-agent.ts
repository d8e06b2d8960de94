import type { AgentSpec } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import type { Suite } from '../suite/load-suite';

/** An agent that this build can run. */
export interface KnownAgent {
  readonly name: string;
  readonly version: string;
  /** Integrity hash of its package; null for what is built in, and where it is asked for while freezing. */
  readonly integrity: string | null;
  /** Its package is fetched in the version that is named; absent: part of this build, in one version. */
  readonly packaged?: boolean;
}

/**
 * The agent of a run: the submission's, else the suite's. The suite's options go to its own agent only.
 * @throws TaskError `agent_unknown` naming those there are; `agent_version` where the suite wants another version
 */
export function chooseAgent(
  suite: Pick<Suite, 'agent'>,
  requested: string | undefined,
  known: readonly KnownAgent[],
): AgentSpec {
  const name = requested ?? suite.agent.name;
  const agent = known.find((candidate) => candidate.name === name);
  if (agent === undefined) {
    const names = known.map((candidate) => candidate.name).join(', ');
    throw new TaskError(`Unknown agent: ${name} (known: ${names})`, {
      code: 'agent_unknown',
      phase: 'dispatch',
      details: { name, known: names },
    });
  }
  const { version, integrity, packaged = false } = agent;
  if (name !== suite.agent.name) return { name, version, integrity, options: {} };
  const wanted = suite.agent.version;
  if (packaged) return { name, version: wanted ?? version, integrity: null, options: suite.agent.options };
  if (wanted !== undefined && wanted !== version) {
    throw new TaskError(`The suite wants ${name} ${wanted}, this build has ${version}`, {
      code: 'agent_version',
      phase: 'dispatch',
      details: { name, wanted, version },
    });
  }
  return { name, version, integrity, options: suite.agent.options };
}
