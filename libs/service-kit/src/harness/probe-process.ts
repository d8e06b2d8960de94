import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '@assay/testing';

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  /** Sentences of the log, in order. */
  readonly said: readonly string[];
}

/** probe-program.ts as a process of its own. */
export class ProbeProcess {
  private stdout = '';
  private stderr = '';
  private readonly closed: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString('utf8')));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    this.closed = once(child, 'close');
  }

  static start(env: Readonly<Record<string, string>>): ProbeProcess {
    const child = spawn(
      process.execPath,
      ['--require', join(__dirname, 'typescript-hook.cjs'), join(__dirname, 'probe-program.ts')],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          NATS_URL: 'nats://127.0.0.1:1',
          ASSAY_ARTIFACTS_DIR: '/nowhere',
          ASSAY_HTTP_PORT: '0',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    return new ProbeProcess(child);
  }

  /** Every log line. */
  get lines(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  get said(): string[] {
    return this.lines.map((line) => String(line['msg']));
  }

  /** Resolves with its URL when it serves. */
  async url(): Promise<string> {
    await this.until('service started');
    return String(this.lines.find((line) => line['msg'] === 'service started')?.['url']);
  }

  async until(sentence: string): Promise<void> {
    await eventually(
      () => {
        if (this.child.exitCode !== null) throw new Error(`it ended: ${this.stderr}`);
        return this.said.includes(sentence);
      },
      { timeoutMs: 30_000, what: `"${sentence}"` },
    );
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Waits for its end. */
  async ended(): Promise<Ending> {
    await this.closed;
    return { code: this.child.exitCode, signal: this.child.signalCode, stderr: this.stderr, said: this.said };
  }
}
