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

/** The agent that checks its sandbox and does no work. */
const PROBE = 'probe';

/** What a suite says in place of a version, to measure the very package that the release published. */
export const EVALUATED_VERSION = 'evaluated';

/**
 * The agent of a run: the submission's, else the suite's. The suite's options go to its own agent only.
 * @param evaluated what the submission evaluates, whose version a suite may want its agent to have
 * @throws TaskError `agent_unknown` naming those there are; `agent_unfit` where the probe is asked for without an
 *   infrastructure check, or the other way round; `agent_version` where the suite wants another version,
 *   or the evaluated one of a ref that names none
 */
export function chooseAgent(
  suite: Pick<Suite, 'agent' | 'kind'>,
  requested: string | undefined,
  known: readonly KnownAgent[],
  evaluated: { readonly ref: string; readonly packageVersion: string | null },
): AgentSpec {
  const name = requested ?? suite.agent.name;
  requireFitAgent(suite.kind, name);
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
  if (packaged) {
    const chosen = wanted === EVALUATED_VERSION ? evaluated.packageVersion : (wanted ?? version);
    if (chosen !== null) return { name, version: chosen, integrity: null, options: suite.agent.options };
    throw new TaskError(
      `The suite measures ${name} in the evaluated version, and ${evaluated.ref} names none: expected a ref such as v1.2.3`,
      { code: 'agent_version', phase: 'dispatch', details: { name, ref: evaluated.ref } },
    );
  }
  if (wanted !== undefined && wanted !== version) {
    throw new TaskError(`The suite wants ${name} ${wanted}, this build has ${version}`, {
      code: 'agent_version',
      phase: 'dispatch',
      details: { name, wanted, version },
    });
  }
  return { name, version, integrity, options: suite.agent.options };
}

/** A run of the probe has nothing to grade, and an infrastructure check grades nothing. */
function requireFitAgent(kind: Suite['kind'], name: string): void {
  if ((kind === 'infrastructure') === (name === PROBE)) return;
  const message =
    name === PROBE
      ? `${PROBE} checks infrastructure: it runs in suites of the kind infrastructure only`
      : `a suite of the kind infrastructure runs ${PROBE}, not ${name}`;
  throw new TaskError(message, { code: 'agent_unfit', phase: 'dispatch', details: { kind, name } });
}
