import { freePort, PROJECT_ROOT } from '@assay/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type ServiceName = 'dispatcher' | 'coordinator' | 'executor' | 'grader' | 'publisher';

/** One log line of a service, parsed. */
export interface LogLine {
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/** A program of the project as a process of its own, its output kept. */
export class ServiceProcess {
  private child: ChildProcess | null = null;
  private text = '';

  constructor(
    readonly name: string,
    private readonly args: readonly string[],
    private readonly env: Readonly<Record<string, string>>,
    readonly port: number,
  ) {}

  /** A service of apps/, on a port of its own. */
  static async of(name: ServiceName, env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    const port = Number(env['ASSAY_HTTP_PORT'] ?? (await freePort()));
    const all = { ...env, ASSAY_HTTP_PORT: String(port) };
    return new ServiceProcess(name, [join(PROJECT_ROOT, 'apps', name, 'dist/main.js')], all, port);
  }

  get pid(): number {
    if (this.child?.pid === undefined) throw new Error(`${this.name} is not running`);
    return this.child.pid;
  }

  get output(): string {
    return this.text;
  }

  /** Every output line that is JSON. */
  get lines(): LogLine[] {
    return this.text.split('\n').flatMap((line) => {
      if (!line.startsWith('{')) return [];
      try {
        return [JSON.parse(line) as LogLine];
      } catch {
        return []; // the last line of a killed process may be half
      }
    });
  }

  spawn(): void {
    const child = spawn(process.execPath, ['--enable-source-maps', ...this.args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.text += chunk.toString('utf8')));
    }
    this.child = child;
  }

  /** Resolves when /readyz answers 200. */
  async ready(timeoutMs = 30_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      if (this.child?.exitCode !== null) throw new Error(`${this.name} ended:\n${this.text.slice(-4_000)}`);
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(
        () => null,
      );
      if (answer?.ok === true) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${this.name} was not ready after ${timeoutMs} ms:\n${this.text.slice(-4_000)}`);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Sends the signal and resolves with the exit code, or null when the signal ended it. */
  async end(signal: NodeJS.Signals = 'SIGTERM', graceMs = 20_000): Promise<number | null> {
    const child = this.child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    child.kill(signal);
    child.kill('SIGCONT'); // a process that a test has stopped could not obey
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    const [code] = await ended;
    clearTimeout(timer);
    return code;
  }

  /** Resolves with the exit code when the process ends by itself. */
  async exit(): Promise<number | null> {
    const child = this.child;
    if (child === null || child.exitCode !== null) return child?.exitCode ?? null;
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }
}
