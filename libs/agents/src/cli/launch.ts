import type { Sandbox } from '@assay/sandbox';
import type { PlacedLayer } from '../layers/agent-layer';
import { redactorOf } from '../trajectory/redaction';
import type { AgentRun } from '../trial-agent.port';
import type { CliPlan, StreamReader } from './cli-adapter';
import type { AgentHome } from './home';
import { LineSplitter } from './line-splitter';
import type { StreamRecord } from './stream-record';

/** Before its deadline an agent that is still there is asked to stop: a twentieth of its time before, 1 to 5 s. */
const GRACE_SHARE = 0.05;
const SHORTEST_GRACE_MS = 1_000;
const LONGEST_GRACE_MS = 5_000;
const ASK_MS = 5_000;
/** Exit code of a program that SIGKILL ended. */
const KILLED = 137;
/** Characters of the output's end that a failure shows. */
const TAIL = 4_000;

/**
 * Runs in the sandbox as the agent's own user: files of its home, standard input, its process id as the first line, and then
 * the agent itself in place of the shell, so that it is the group that is signalled.
 */
const LAUNCHER = [
  'home=$1 setup=$2; shift 2',
  'if [ -d "$setup/home" ]; then cp -R "$setup/home/." "$home/" || exit 126; fi',
  'if [ -f "$setup/stdin" ]; then exec < "$setup/stdin"; else exec < /dev/null; fi',
  'echo "ASSAY_STARTED $$"',
  'exec "$@"',
].join('\n');

/** With `-s`: dash takes no `--` after `-TERM`. */
const ASK_TO_STOP = 'kill -s TERM -- "-$1" 2>/dev/null || kill -s TERM "$1"';

/** Never more than half of what there is. */
function graceMs(left: number): number {
  const share = Math.max(SHORTEST_GRACE_MS, left * GRACE_SHARE);
  return Math.min(LONGEST_GRACE_MS, share, left / 2);
}

/** How it came to an end: by itself, stopped by us for a reason, or killed for memory. */
export interface Ending {
  readonly exitCode: number | null;
  readonly stopped: 'time' | 'turns' | 'version' | null;
  readonly outOfMemory: boolean;
  readonly tail: string;
  /** Whether the launcher came as far as the agent. */
  readonly launched: boolean;
}

interface Parts {
  readonly plan: CliPlan;
  readonly home: AgentHome;
  readonly record: StreamRecord;
  readonly reader: StreamReader;
  readonly layer: PlacedLayer | null;
  readonly secret: string;
}

/** Runs the agent until it ends, its deadline is there, or it has to be stopped; reads its output as it comes. */
export async function launch(run: AgentRun, parts: Parts): Promise<Ending> {
  const { sandbox, deadline, signal, task } = run;
  const { plan, home } = parts;
  const own = new AbortController();
  const watch = new OutputWatch(run, parts, own);
  const splitter = new LineSplitter((line) => {
    watch.line(line);
  });
  const left = Math.max(1, deadline.getTime() - Date.now());
  const asking = setTimeout(
    () => {
      watch.stopped ??= 'time';
      void askToStop(sandbox, watch.pid);
    },
    left - graceMs(left),
  );
  try {
    const result = await sandbox.exec({
      command: ['/bin/sh', '-c', LAUNCHER, 'sh', home.dir, home.setup, ...plan.argv],
      env: { ...task.env, HOME: home.dir, ...plan.env },
      timeoutMs: left,
      maxOutputBytes: 0,
      signal: AbortSignal.any([signal, own.signal]),
      onOutput: (chunk) => {
        splitter.push(chunk);
      },
    });
    splitter.end();
    if (result.timedOut || signal.aborted) watch.stopped ??= 'time';
    const { stopped, tail, pid } = watch;
    if (result.exitCode === KILLED && stopped === null) await mustBeThere(sandbox);
    return { exitCode: result.exitCode, stopped, outOfMemory: result.outOfMemory, tail, launched: pid !== null };
  } finally {
    clearTimeout(asking);
  }
}

/** What becomes of each line: log, record, and the reasons to stop the agent before its time. */
class OutputWatch {
  pid: string | null = null;
  stopped: Ending['stopped'] = null;
  private last: string[] = [];
  private readonly redactor;

  constructor(
    private readonly run: AgentRun,
    private readonly parts: Parts,
    private readonly own: AbortController,
  ) {
    this.redactor = redactorOf([parts.secret]);
  }

  get tail(): string {
    return this.last.join('\n').slice(-TAIL);
  }

  line(raw: string): void {
    const started = this.pid === null ? /^ASSAY_STARTED (\d+)$/.exec(raw) : null;
    if (started?.[1] !== undefined) {
      this.pid = started[1];
      return;
    }
    const line = this.redactor.text(raw);
    this.run.log(`${line}\n`);
    this.last = [...this.last.slice(-40), line.slice(-TAIL)];
    this.parts.reader(line);
    this.judge();
  }

  /** An agent of another version is not let go on; nor is one that has had its turns and knows no limit of them itself. */
  private judge(): void {
    const { record, layer } = this.parts;
    const { turns } = this.run.limits;
    if (layer !== null && record.version !== null && record.version !== layer.version) this.stop('version');
    else if (turns !== null && record.replies > turns) this.stop('turns');
  }

  private stop(why: 'version' | 'turns'): void {
    this.stopped ??= why;
    this.own.abort();
  }
}

/** Who was killed may have been killed with its sandbox, which is not its fault. @throws InfraError of a sandbox that is gone */
async function mustBeThere(sandbox: Sandbox): Promise<void> {
  await sandbox.exec({ command: ['true'], timeoutMs: ASK_MS, maxOutputBytes: 0 });
}

/** Whether it stops does not matter here: it is killed at its deadline, by the sandbox. */
async function askToStop(sandbox: Sandbox, pid: string | null): Promise<void> {
  if (pid === null) return;
  try {
    await sandbox.exec({
      command: ['/bin/sh', '-c', ASK_TO_STOP, 'sh', pid],
      timeoutMs: ASK_MS,
      maxOutputBytes: 1_024,
    });
  } catch {
    // The sandbox is gone: so is the agent.
  }
}
