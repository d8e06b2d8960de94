import { InfraError } from '@assay/failures';
import type { Sandbox } from '@assay/sandbox';
import type { CliPlan } from './cli-adapter';

const MAKE_MS = 30_000;
/** Bytes of a file that an agent left and that is read here. */
const LARGEST_FILE = 67_108_864;

/** An agent's fresh home in its sandbox: below the logs, never in the workspace, made by the user that the agent runs as. */
export class AgentHome {
  private constructor(
    private readonly sandbox: Sandbox,
    readonly dir: string,
    /** What we put there before the start; the agent's own user need not be able to write it. */
    readonly setup: string,
  ) {}

  static async make(sandbox: Sandbox, signal: AbortSignal): Promise<AgentHome> {
    const base = `${sandbox.paths.logs}/agent`;
    const dir = `${base}/home`;
    const { exitCode, output } = await sandbox.exec({
      command: ['/bin/sh', '-c', 'mkdir -p "$1" && chmod 700 "$1"', 'sh', dir],
      timeoutMs: MAKE_MS,
      maxOutputBytes: 4_096,
      signal,
    });
    if (exitCode !== 0 && !signal.aborted) {
      throw new InfraError(`the agent's home cannot be made: ${output.toString('utf8').trim()}`, {
        code: 'agent_home_unwritable',
        phase: 'agent',
        details: { dir, exitCode },
      });
    }
    return new AgentHome(sandbox, dir, `${base}/setup`);
  }

  /** Puts the plan's standard input and files where the launcher takes them from. */
  async furnish({ stdin, files = {} }: CliPlan): Promise<void> {
    if (stdin !== null) await this.sandbox.putFile(`${this.setup}/stdin`, Buffer.from(stdin));
    for (const [path, content] of Object.entries(files)) {
      await this.sandbox.putFile(`${this.setup}/home/${path}`, Buffer.from(content));
    }
  }

  /** A file of the home; null where there is none, or one that is too large to be what it should be. */
  async read(path: string): Promise<string | null> {
    try {
      const content = await this.sandbox.getFile(`${this.dir}/${path}`, LARGEST_FILE);
      return content?.toString('utf8') ?? null;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'file_too_large') return null;
      throw error;
    }
  }
}
