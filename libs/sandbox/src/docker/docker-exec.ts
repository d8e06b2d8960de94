import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { AgentError, type BlamedError, InfraError } from '@assay/failures';
import type { Phase } from '@assay/contracts';
import { BoundedOutput } from '../bounded-output';
import { ENTER_AND_RUN } from '../enter-and-run';
import type { ExecRequest, ExecResult } from '../sandbox.port';
import { answered } from './bounded';
import { engine } from './engine-errors';
import { firstOf } from './first-of';
import { containerEvents } from './container-events';
import { OomWatch } from './oom-watch';
import { killContainer } from './remove-container';
import { RunningExec } from './running-exec';

/** Variable that marks every process of one command, so that those which left its group are found too. */
const MARKER = 'ASSAY_COMMAND';

/**
 * What killing a command from inside may take in all, its end included, before its container is killed under it. Inside may
 * be so busy that nothing can be started there: nothing that waits on it waits longer.
 */
const KILL_MS = 5_000;

/** What reading a counter inside may take: after a command that ended, and after one that was killed. Milliseconds. */
const COUNT_MS = 10_000;
const COUNT_KILLED_MS = 2_000;

/** Exit code of what SIGKILL ended. */
const KILLED = 137;

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
  private readonly oom: OomWatch;

  constructor(
    private readonly container: Docker.Container,
    private readonly env: Readonly<Record<string, string>>,
    private readonly workdir: string,
    private readonly phase: Phase,
  ) {
    this.oom = new OomWatch(container, phase);
  }

  /**
   * Ends with the command, its deadline or its signal; the container is killed where nothing else helps.
   * @throws InfraError `sandbox_died` when the container ended under the command; AgentError `agent_ended_sandbox` when the
   *   command itself ended it
   */
  async run(request: ExecRequest): Promise<ExecResult> {
    const started = Date.now();
    const output = new BoundedOutput(request.maxOutputBytes, request.onOutput);
    const how =
      request.signal?.aborted === true
        ? { end: 'signal' as const, exitCode: null, outOfMemory: false }
        : await engine('a command cannot be run', this.phase, () => this.runTo(output, request));
    return {
      exitCode: how.exitCode,
      output: output.bytes(),
      truncated: output.truncated,
      timedOut: how.end === 'time',
      outOfMemory: how.outOfMemory,
      durationMs: Date.now() - started,
    };
  }

  private async runTo(output: BoundedOutput, request: ExecRequest): Promise<{ end: string } & HowItEnded> {
    const user = request.user ?? null;
    const marker = randomBytes(8).toString('hex');
    // How long it takes to be started is part of its time.
    const starting = RunningExec.start(this.container, {
      command: ['/bin/sh', '-c', ENTER_AND_RUN, 'sh', request.cwd ?? this.workdir, ...request.command],
      env: { ...this.env, ...request.env, [MARKER]: marker },
      user,
      onContent: (chunk) => {
        output.push(chunk);
      },
    });
    const ended = starting.then((running) => running.ended());
    try {
      const end = await firstOf(ended, request.timeoutMs, request.signal);
      if (end === 'ended') {
        return { end, ...(await this.conclude(await (await starting).exitCode(), request.watchMemory === true)) };
      }
      const killed = Promise.all([this.killMarked(marker, user), ended]).then(() => undefined);
      if ((await firstOf(killed, KILL_MS)) !== 'ended') await killContainer(this.container);
      return { end, exitCode: null, outOfMemory: await this.sawOomKill(COUNT_KILLED_MS) };
    } finally {
      stopWhenStarted(starting);
    }
  }

  private async conclude(code: number, watchMemory: boolean): Promise<HowItEnded> {
    if (code === 0 && !watchMemory) return { exitCode: code, outOfMemory: false };
    const outOfMemory = await this.sawOomKill();
    if (code === KILLED && !outOfMemory) {
      const { State } = await answered(this.container.inspect(), this.phase);
      if (!State.Running) {
        throw await this.died(State.ExitCode);
      }
    }
    return { exitCode: code === KILLED && outOfMemory ? null : code, outOfMemory };
  }

  /**
   * Its first process waits for the deadline, and ends with 0 then. Killed while nobody asked the engine for it, it was killed
   * from inside; in the agent's phase that was the agent.
   */
  private async died(exitCode: number): Promise<BlamedError> {
    const events = await containerEvents(this.container, ['kill', 'die'], this.phase);
    const told = events.map(({ Action }) => Action);
    const fromInside = exitCode !== 0 && told.includes('die') && !told.includes('kill');
    if (!fromInside || this.phase !== 'agent') {
      return new InfraError('the sandbox ended under its command', { code: 'sandbox_died', phase: this.phase });
    }
    const message = "the command killed the sandbox's own first process";
    return new AgentError(message, { code: 'agent_ended_sandbox', phase: this.phase, details: { exitCode } });
  }

  /** As the command's own user: without capabilities not even root may kill another's processes. */
  private async killMarked(marker: string, user: string | null): Promise<void> {
    try {
      await this.plain(['/bin/sh', '-c', KILLER, 'sh', `${MARKER}=${marker}`], user, KILL_MS);
    } catch {
      // No shell inside, or the container is gone: its own kill follows when the command does not end.
    }
  }

  private async sawOomKill(ms = COUNT_MS): Promise<boolean> {
    return this.oom.sawKill(await this.countOomKills(ms));
  }

  /** Null too when no process can be started inside. */
  private async countOomKills(ms: number): Promise<number | null> {
    try {
      const found = /^oom_kill (\d+)/m.exec(await this.plain(['/bin/sh', '-c', OOM_COUNT], null, ms));
      return found === null ? null : Number(found[1]);
    } catch {
      return null;
    }
  }

  /** Output of a short command of our own; what there is of it after `ms`, its start included. */
  private async plain(command: readonly string[], user: string | null, ms: number): Promise<string> {
    const output = new BoundedOutput(65_536);
    const onContent = (chunk: Buffer): void => {
      output.push(chunk);
    };
    const starting = RunningExec.start(this.container, { command, user, onContent });
    try {
      await firstOf(
        starting.then((running) => running.ended()),
        ms,
      );
      return output.bytes().toString('utf8');
    } finally {
      stopWhenStarted(starting);
    }
  }
}

/** Nobody listens any more, also if it is only started later. */
function stopWhenStarted(starting: Promise<RunningExec>): void {
  starting.then(
    (running) => {
      running.stop();
    },
    () => undefined, // told to who waited for it
  );
}

interface HowItEnded {
  readonly exitCode: number | null;
  readonly outOfMemory: boolean;
}
