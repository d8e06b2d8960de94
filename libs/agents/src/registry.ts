import { TaskError } from '@assay/failures';
import { command } from './adapters/command/command.agent';
import { claudeCode } from './adapters/claude-code/claude-code.agent';
import { codex } from './adapters/codex/codex.agent';
import { geminiCli } from './adapters/gemini-cli/gemini-cli.agent';
import { miniSweAgent } from './adapters/mini-swe-agent/mini-swe-agent.agent';
import { opencode } from './adapters/opencode/opencode.agent';
import { qwenCode } from './adapters/qwen-code/qwen-code.agent';
import type { CliAdapter } from './cli/cli-adapter';
import { createCliAgent } from './cli/create-cli-agent';
import { resolvePackage } from './layers/resolve-package';
import { miniAgent } from './mini/mini.agent';
import { nopAgent } from './nop.agent';
import { oracleAgent } from './oracle/oracle.agent';
import { probeAgent } from './probe.agent';
import type { TrialAgent } from './trial-agent.port';

/** Programs that run inside the sandbox, each with its pinned version. */
export const CLI_ADAPTERS: readonly CliAdapter[] = [
  qwenCode,
  claudeCode,
  codex,
  geminiCli,
  opencode,
  miniSweAgent,
  command,
];

const AGENTS: readonly TrialAgent[] = [
  miniAgent,
  nopAgent,
  oracleAgent,
  probeAgent,
  ...CLI_ADAPTERS.map((adapter) => createCliAgent(adapter)),
];

/**
 * The agents there are, with the version that is taken where nobody names one. Integrity is null for those that are part of
 * this build, and for packages until `resolveAgent` has asked the registry.
 */
export const KNOWN_AGENTS: readonly KnownAgent[] = AGENTS.map(({ name, version, package: pack = null }) => ({
  name,
  version,
  integrity: null,
  packaged: pack !== null,
}));

/** An agent as those see it who freeze a run. */
export interface KnownAgent {
  readonly name: string;
  readonly version: string;
  readonly integrity: string | null;
  /** Its package is fetched; else it is part of this build. */
  readonly packaged: boolean;
}

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

/**
 * What a manifest holds of an agent. For one with a package the registry is asked for exactly that version (without one: the
 * pinned); for one that is part of this build there is no other version than its own.
 * @param registry of npm, in place of the one that npm is set up for
 * @throws TaskError `agent_unknown`, `agent_version_unknown`; InfraError `agent_package_missing`, `agent_registry_unavailable`
 */
export async function resolveAgent(
  name: string,
  version?: string,
  signal: AbortSignal = new AbortController().signal,
  registry?: string,
): Promise<{ name: string; version: string; integrity: string | null }> {
  const agent = agentNamed(name);
  const wanted = version ?? agent.version;
  const pack = agent.package ?? null;
  if (pack !== null) {
    const where = registry === undefined ? {} : { registry };
    return { name, version: wanted, integrity: await resolvePackage(pack, wanted, { signal, ...where }) };
  }
  if (wanted === agent.version) return { name, version: wanted, integrity: null };
  throw new TaskError(
    `the agent ${name} is part of this build, in version ${agent.version}; expected that, got ${wanted}`,
    {
      code: 'agent_version_unknown',
      phase: 'prepare',
      details: { name, version: wanted },
    },
  );
}
