import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PROJECT_ROOT } from '@assay/testing';
import type { ArtifactPlace } from '../index';

/** What a process of its own does with the store, one after the other. */
export type StoreStep =
  | { readonly do: 'put'; readonly file: string }
  | { readonly do: 'fetch'; readonly digest: string; readonly size: number; readonly to: string }
  | { readonly do: 'inspect'; readonly digest: string; readonly size: number };

export interface StoreJob {
  readonly place: ArtifactPlace;
  readonly namespace: string;
  readonly steps: readonly StoreStep[];
}

/** What it says before its first step, and after each one. */
export interface StoreReport {
  /** `begun`, a digest, a condition, or `fetched`. */
  readonly said: string;
  /** The most memory that the process has had so far, in bytes. */
  readonly peak: number;
}

const HOOK = join(PROJECT_ROOT, 'libs/service-kit/src/harness/typescript-hook.cjs');

/** store-program.ts as a process of its own. */
export class StoreProcess {
  private readonly reports: StoreReport[] = [];
  private readonly ended: Promise<unknown>;
  private stderr = '';

  private constructor(private readonly child: ChildProcess) {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      const lines = (text + chunk.toString('utf8')).split('\n');
      text = lines.pop() ?? '';
      this.reports.push(...lines.map((line) => JSON.parse(line) as StoreReport));
      child.emit('report');
    });
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    this.ended = once(child, 'close');
  }

  static start(job: StoreJob): StoreProcess {
    const child = spawn(
      process.execPath,
      ['--require', HOOK, join(__dirname, 'store-program.ts'), JSON.stringify(job)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    return new StoreProcess(child);
  }

  /** Resolves when its first step is about to begin. */
  async begun(): Promise<void> {
    while (this.reports.length === 0) await Promise.race([once(this.child, 'report'), this.endedTooSoon()]);
  }

  /** Resolves with everything it said, when it has ended by itself and well. */
  async done(): Promise<readonly StoreReport[]> {
    await this.ended;
    if (this.child.exitCode !== 0) throw new Error(this.stderr);
    return this.reports;
  }

  /** Kills it at once; resolves how many steps it had finished. */
  async kill(): Promise<number> {
    this.child.kill('SIGKILL');
    await this.ended;
    return this.reports.length - 1;
  }

  private async endedTooSoon(): Promise<never> {
    await this.ended;
    throw new Error(this.stderr);
  }
}
