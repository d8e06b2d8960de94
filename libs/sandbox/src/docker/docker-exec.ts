import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { BoundedOutput } from '../bounded-output';
import type { ExecRequest, ExecResult } from '../sandbox.port';
import { engine } from './engine-errors';
import { Frames } from './frames';

/** Variable that marks every process of one command, so that those which left its group are found too. */
const MARKER = 'ASSAY_COMMAND';

/** What a command may take to end after it was killed before its container is killed under it. */
const KILL_MS = 3_000;

/** Kills whatever carries the marker; twice, because a fork may have been under way. */
const KILLER = `
for round in 1 2; do
  for file in /proc/[0-9]*/environ; do
    if grep -qaF "$1" "$file" 2>/dev/null; then
      pid=\${file#/proc/}
      kill -9 "\${pid%/environ}" 2>/dev/null
    fi
  done
done
`;

/** cgroup v1, then v2: how often the kernel killed for memory in this container. */
const OOM_COUNT = 'cat /sys/fs/cgroup/memory/memory.oom_control /sys/fs/cgroup/memory.events 2>/dev/null';

/** Runs commands in one container. */
export class DockerExec {
  private oomKills = 0;

  constructor(
    private readonly container: Docker.Container,
    private readonly env: Readonly<Record<string, string>>,
    private readonly workdir: string,
  ) {}

  /** Ends with the command, its deadline or its signal; the container is killed where nothing else helps. */
  async run(request: ExecRequest): Promise<ExecResult> {
    const started = Date.now();
    const marker = randomBytes(8).toString('hex');
    const output = new BoundedOutput(request.maxOutputBytes, request.onOutput);
    const running = await this.start(request, marker, (chunk) => {
      output.push(chunk);
    });
    const how = await this.awaitEnd(running.ended, request, marker);
    running.stop();
    const exitCode = how === 'ended' ? await running.exitCode() : null;
    const outOfMemory = exitCode !== 0 && (await this.sawOomKill());
    return {
      exitCode,
      output: output.bytes(),
      truncated: output.truncated,
      timedOut: how === 'time',
      outOfMemory,
      durationMs: Date.now() - started,
    };
  }

  private async awaitEnd(
    ended: Promise<void>,
    { timeoutMs, signal }: ExecRequest,
    marker: string,
  ): Promise<'ended' | 'time' | 'signal'> {
    const how = await firstOf(ended, timeoutMs, signal);
    if (how === 'ended') return how;
    await this.killMarked(marker);
    if ((await firstOf(ended, KILL_MS)) !== 'ended') await this.container.kill().catch(() => undefined); // gone already
    return how;
  }

  private async start(
    { command, cwd, env, user }: ExecRequest,
    marker: string,
    onContent: (chunk: Buffer) => void,
  ): Promise<{ ended: Promise<void>; exitCode: () => Promise<number | null>; stop: () => void }> {
    return engine('a command cannot be started', 'agent', async () => {
      const exec = await this.container.exec({
        Cmd: [...command],
        AttachStdout: true,
        AttachStderr: true,
        Env: Object.entries({ ...this.env, ...env, [MARKER]: marker }).map(([name, value]) => `${name}=${value}`),
        WorkingDir: cwd ?? this.workdir,
        ...(user === undefined ? {} : { User: user }),
      });
      const stream = await exec.start({ hijack: true, stdin: false });
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
      return {
        ended,
        stop: () => stream.destroy(),
        exitCode: async () => {
          const { Running: runs, ExitCode: code } = await exec.inspect();
          return runs ? null : code;
        },
      };
    });
  }

  private async killMarked(marker: string): Promise<void> {
    try {
      await this.plain(['sh', '-c', KILLER, 'sh', `${MARKER}=${marker}`]);
    } catch {
      // No shell inside, or the container is gone: its own kill follows when the command does not end.
    }
  }

  private async sawOomKill(): Promise<boolean> {
    try {
      const text = await this.plain(['sh', '-c', OOM_COUNT]);
      const count = Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
      const grown = count > this.oomKills;
      this.oomKills = count;
      return grown;
    } catch {
      const { State } = await this.container.inspect().catch(() => ({ State: { OOMKilled: false } }));
      return State.OOMKilled;
    }
  }

  /** Output of a short command of our own. */
  private async plain(command: readonly string[]): Promise<string> {
    const exec = await this.container.exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true, User: '0' });
    const stream = await exec.start({ hijack: true, stdin: false });
    const output = new BoundedOutput(65_536);
    const frames = new Frames((chunk) => {
      output.push(chunk);
    });
    stream.on('data', (chunk: Buffer) => {
      frames.push(chunk);
    });
    await firstOf(
      new Promise<void>((resolve) => {
        for (const event of ['end', 'close', 'error']) {
          stream.once(event, () => {
            resolve();
          });
        }
      }),
      KILL_MS,
    );
    stream.destroy();
    return output.bytes().toString('utf8');
  }
}

async function firstOf(ended: Promise<void>, ms: number, signal?: AbortSignal): Promise<'ended' | 'time' | 'signal'> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const late = new Promise<'time'>((resolve) => {
    timer = setTimeout(resolve, ms, 'time');
  });
  const aborted = new Promise<'signal'>((resolve) => {
    onAbort = () => {
      resolve('signal');
    };
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([ended.then(() => 'ended' as const), late, aborted]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
