import { AgentError, InfraError } from '@assay/failures';
import type { ExecResult, Sandbox } from '@assay/sandbox';
import type { PlacedLayer } from '../layers/agent-layer';
import type { CliAdapter, CliQuestion } from './cli-adapter';

const ANSWER_MS = 60_000;
const LARGEST_HELP = 1_048_576;

export interface Known {
  /** True for every flag where the agent is not asked. */
  takes(flag: string): boolean;
}

/**
 * What an installed agent says of itself, asked once per layer: the flags that its version takes, and, where its stream does
 * not tell it, which version it is. It is asked inside a sandbox: a package is not trusted on the host.
 */
export class LayerKnowledge {
  private readonly asked = new Map<string, Promise<Known>>();

  constructor(private readonly adapter: CliAdapter) {}

  of(sandbox: Sandbox, layer: PlacedLayer | null, where: { home: string; signal: AbortSignal }): Promise<Known> {
    if (layer === null) return Promise.resolve({ takes: () => true });
    const known = this.asked.get(layer.id);
    if (known !== undefined) return known;
    const asking = this.ask(sandbox, layer, where);
    this.asked.set(layer.id, asking);
    asking.catch(() => this.asked.delete(layer.id)); // the next trial asks again
    return asking;
  }

  private async ask(
    sandbox: Sandbox,
    layer: PlacedLayer,
    where: { home: string; signal: AbortSignal },
  ): Promise<Known> {
    const { help, tellsVersion } = this.adapter;
    const answer = (question: CliQuestion) => this.answer(sandbox, question(layer), where);
    if (tellsVersion !== null) {
      const text = await answer(tellsVersion);
      const told = /\d+\.\d+\.\d+[0-9A-Za-z.+-]*/.exec(text)?.[0] ?? text.trim().slice(0, 100);
      if (told !== layer.version) throw versionDiffers(this.adapter.name, layer.version, told);
    }
    if (help === null) return { takes: () => true };
    const flags = flagsIn(await answer(help));
    return { takes: (flag) => flags.has(flag) };
  }

  private async answer(
    sandbox: Sandbox,
    { argv, env = {} }: ReturnType<CliQuestion>,
    { home, signal }: { home: string; signal: AbortSignal },
  ): Promise<string> {
    const result = await sandbox.exec({
      command: argv,
      env: { HOME: home, ...env },
      timeoutMs: ANSWER_MS,
      maxOutputBytes: LARGEST_HELP,
      signal,
    });
    if (result.exitCode === 0) return result.output.toString('utf8');
    signal.throwIfAborted();
    throw noAnswer(argv, result);
  }
}

/** Every long flag that a help text names. */
export function flagsIn(help: string): Set<string> {
  return new Set([...help.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/gi)].map(([flag]) => flag));
}

/** Another version in the sandbox than the one that was frozen is our fault. */
export function versionDiffers(name: string, wanted: string, told: string): InfraError {
  return new InfraError(`${name} says that it is ${told}, and ${wanted} is to be measured`, {
    code: 'agent_version_differs',
    phase: 'agent',
    details: { wanted, told },
  });
}

/** A program that cannot be started is our fault (126, 127: not found, or not for this image); one that fails is its own. */
export function cannotStart(exitCode: number | null): boolean {
  return exitCode === 126 || exitCode === 127;
}

function noAnswer(argv: readonly string[], { exitCode, output, timedOut }: ExecResult): AgentError | InfraError {
  const details = { argv, exitCode, tail: output.toString('utf8').slice(-2_000) };
  const said = `${argv.join(' ')} ended with ${timedOut ? 'its time' : `exit ${String(exitCode)}`}`;
  if (cannotStart(exitCode) || timedOut) {
    return new InfraError(`the agent cannot be started: ${said}`, {
      code: 'agent_not_started',
      phase: 'agent',
      details,
    });
  }
  return new AgentError(`the agent cannot tell what it is: ${said}`, {
    code: 'agent_crashed',
    phase: 'agent',
    details,
  });
}
