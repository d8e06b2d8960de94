import { spawn } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { packTask } from '../bundles/pack-folder';
import { unpackTask, type UnpackedTask } from '../bundles/unpack-task';

/** What a command came to; `exitCode` is null when it was stopped for its time. */
export interface CommandResult {
  readonly exitCode: number | null;
  readonly output: string;
}

/**
 * Runs the example tasks on this machine, without a sandbox: only for our own tasks, whose code is known. It does what the
 * Dockerfile of an example says, and sets the folder variables as both sandboxes do.
 */
export class TaskRunner {
  private constructor(
    private readonly root: string,
    readonly unpacked: UnpackedTask,
    readonly workdir: string,
  ) {}

  /** Packs the task folder and unpacks it below `root`, so that the bundle is what runs. */
  static async prepare(taskDir: string, root: string): Promise<TaskRunner> {
    const unpacked = await unpackTask(await packTask(taskDir), join(root, 'task'));
    const workdir = join(root, 'work');
    const dockerfile = await readFile(join(unpacked.environmentDir, 'Dockerfile'), 'utf8');
    const image = parseDockerfile(dockerfile);
    await mkdir(workdir);
    for (const source of image.copies) await cp(join(unpacked.environmentDir, source), workdir, { recursive: true });
    await mkdir(join(root, 'logs'));
    return new TaskRunner(root, unpacked, workdir);
  }

  /** The reference solution, as the agent oracle runs it. */
  solve(): Promise<CommandResult> {
    return this.bash([join(this.unpacked.dir, 'solution/solve.sh')], 30);
  }

  /** A command of an agent. */
  command(text: string): Promise<CommandResult> {
    return this.bash(['-c', text], 30);
  }

  /** Runs tests/test.sh. The reward is null when there is none. */
  async grade(seconds = 30): Promise<CommandResult & { reward: string | null }> {
    const result = await this.bash([join(this.unpacked.testsDir, 'test.sh')], seconds);
    const reward = await readFile(join(this.root, 'logs/verifier/reward.txt'), 'utf8').catch(() => null);
    return { ...result, reward: reward?.trim() ?? null };
  }

  private async bash(args: readonly string[], seconds: number): Promise<CommandResult> {
    const child = spawn('bash', args, {
      cwd: this.workdir,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '/usr/bin:/bin',
        HOME: this.root,
        LANG: 'C.UTF-8',
        APP_DIR: this.workdir,
        TESTS_DIR: this.unpacked.testsDir,
        SOLUTION_DIR: join(this.unpacked.dir, 'solution'),
        LOGS_DIR: join(this.root, 'logs'),
      },
    });
    const killGroup = () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    };
    const timer = setTimeout(killGroup, seconds * 1000);
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    const [exitCode, out, err] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
    clearTimeout(timer);
    return { exitCode, output: `${out.toString()}${err.toString()}` };
  }
}

/** The Dockerfile of an example, which may hold only what the process sandbox can do too. */
export function parseDockerfile(text: string): { workdir: string; copies: string[] } {
  const [arg, from, ...rest] = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  if (arg !== 'ARG BASE_IMAGE=node:22-bookworm' || from !== 'FROM ${BASE_IMAGE}') {
    throw new Error(`an example's Dockerfile begins with ARG BASE_IMAGE=node:22-bookworm and FROM \${BASE_IMAGE}`);
  }
  let workdir = '';
  const copies: string[] = [];
  for (const line of rest) {
    const [verb, first, second] = line.split(/\s+/);
    if (verb === 'WORKDIR' && first !== undefined) workdir = first;
    else if (verb === 'COPY' && first !== undefined && second === `${workdir}/`) copies.push(first);
    else if (verb !== 'ENV') throw new Error(`not for an example: ${line}`);
  }
  return { workdir, copies };
}
