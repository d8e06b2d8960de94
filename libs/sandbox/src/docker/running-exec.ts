import type Docker from 'dockerode';
import { setTimeout as delay } from 'node:timers/promises';
import { InfraError } from '@assay/failures';
import { answered } from './bounded';
import { Frames } from './frames';

/** How often a command that holds its stream open is asked whether it still runs (a child may hold it, moby#33039). */
const ASK_MS = 2_000;

/** What the engine may take to know of a command's end after its stream has ended. */
const SETTLE_MS = 10_000;

export interface ExecCall {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Null: the container's own. */
  readonly user: string | null;
  readonly onContent: (chunk: Buffer) => void;
}

/** One command that was started in a container. */
export class RunningExec {
  private over = false;

  private constructor(
    private readonly exec: Docker.Exec,
    private readonly stream: NodeJS.ReadWriteStream & { destroy(): void },
    private readonly streamEnded: Promise<void>,
  ) {}

  static async start(
    container: Docker.Container,
    { command, env = {}, user, onContent }: ExecCall,
  ): Promise<RunningExec> {
    const created = container.exec({
      Cmd: [...command],
      AttachStdout: true,
      AttachStderr: true,
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      WorkingDir: '/',
      ...(user === null ? {} : { User: user }),
    });
    const exec = await answered(created, 'agent');
    const stream = await answered(exec.start({ hijack: true, stdin: false }), 'agent');
    const frames = new Frames(onContent);
    const ended = new Promise<void>((resolve, reject) => {
      stream.on('data', (chunk: Buffer) => {
        try {
          frames.push(chunk);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      for (const event of ['end', 'close', 'error']) {
        stream.once(event, () => {
          resolve();
        });
      }
    });
    ended.catch(() => undefined); // told by `ended()`
    return new RunningExec(exec, stream, ended);
  }

  /** Resolves when its stream ends, or when the engine says that it does not run any more. */
  async ended(): Promise<void> {
    await Promise.race([this.streamEnded, this.seenToEnd()]);
  }

  /** Stops listening; the command is left as it is. */
  stop(): void {
    this.over = true;
    this.stream.destroy();
  }

  /**
   * @param settleMs what the engine may take to know of the end
   * @throws InfraError `exec_lost` when its stream has ended and it still runs: nobody will hear of its end
   */
  async exitCode(settleMs = SETTLE_MS): Promise<number> {
    const until = Date.now() + settleMs;
    for (;;) {
      const { Running: runs, ExitCode: code } = await answered(this.exec.inspect(), 'agent');
      if (!runs && code !== null) return code;
      if (Date.now() > until) {
        throw new InfraError('the stream of a command ended before the command', { code: 'exec_lost', phase: 'agent' });
      }
      await delay(25);
    }
  }

  private async seenToEnd(): Promise<void> {
    let seen = 0;
    while (seen < 2) {
      await delay(ASK_MS, undefined, { ref: false });
      if (this.isOver()) return this.streamEnded;
      const { Running: runs } = await answered(this.exec.inspect(), 'agent');
      // The second look leaves the stream time for what is still on its way.
      seen = runs ? 0 : seen + 1;
    }
  }

  private isOver(): boolean {
    return this.over;
  }
}
