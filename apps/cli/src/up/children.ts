import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StateFolder } from './state-folder';

export interface ChildSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const STOP_GRACE_MS = 15_000;

/**
 * The processes that this one started. Each has its own process group, so that a terminal's Ctrl-C reaches only us and
 * we decide the order of stopping. A child that ends unasked, or whose log cannot be written, calls `onDeath` with a line.
 */
export class Children {
  private readonly running = new Map<string, ChildProcess>();
  private stopping = false;

  constructor(
    private readonly state: StateFolder,
    private readonly onDeath: (line: string) => void,
  ) {}

  /** Throws once the stopping has begun: what is started then would be left running. */
  start({ name, command, args, env }: ChildSpec): void {
    if (this.stopping) throw new Error(`${name} is not started any more: this deployment is stopping`);
    const logFile = join(this.state.logs, `${name}.log`);
    const log = createWriteStream(logFile, { flags: 'a' });
    log.once('error', (error) => {
      if (!this.stopping) this.onDeath(`the log ${logFile} cannot be written: ${error.message}`);
    });
    const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.running.set(name, child);
    if (child.pid !== undefined) this.state.note(child.pid);
    child.once('error', (error) => {
      this.died(name, () => `${name} cannot be started: ${error.message}`);
    });
    child.once('close', (code, signal) => {
      log.end(() => {
        const how = signal ?? `exit ${String(code)}`;
        this.died(name, () => `${name} ended unasked (${how}): ${lastLine(logFile)}`);
      });
    });
  }

  /** SIGTERM to all of these (default: all), SIGKILL after 15 s; resolves when they have ended. */
  async stop(names: readonly string[] = [...this.running.keys()]): Promise<void> {
    this.stopping = true;
    await Promise.all(
      names.map(async (name) => {
        const child = this.running.get(name);
        this.running.delete(name);
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
        await ended;
        clearTimeout(timer);
      }),
    );
  }

  private died(name: string, line: () => string): void {
    if (this.stopping || !this.running.delete(name)) return;
    this.onDeath(line());
  }
}

/** The last line that a child wrote; a JSON log line's message with its error. */
function lastLine(file: string): string {
  const line = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    return [msg, err?.message].filter((part) => part !== undefined).join(': ') || line;
  } catch {
    return line === '' ? `no output in ${file}` : line;
  }
}
