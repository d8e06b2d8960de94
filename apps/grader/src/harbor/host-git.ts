import { spawn } from 'node:child_process';
import { InfraError } from '@assay/failures';

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Settings by which no configuration, hook or attribute of a user or a work tree changes what git does. */
const CONFIG = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.autocrlf=false', 'core.quotePath=true'];

export interface GitCall {
  readonly args: readonly string[];
  /** A git folder of our own, outside of the work tree. */
  readonly gitDir: string;
  readonly workTree: string;
  readonly input?: Buffer;
  /** Ends it, with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Runs git on the host, with nothing of the host's environment but PATH. @throws InfraError `git_missing` */
export function runGit({ args, gitDir, workTree, input, signal }: GitCall): Promise<GitResult> {
  const child = spawn('git', [...CONFIG.flatMap((setting) => ['-c', setting]), ...args], {
    cwd: workTree,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: gitDir,
      LC_ALL: 'C',
      GIT_DIR: gitDir,
      GIT_WORK_TREE: workTree,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
    child.stdin.on('error', () => undefined); // git may end before it has read everything: its exit code tells
    child.once('error', (cause) => {
      if (signal.aborted) reject(signal.reason as Error);
      else
        reject(new InfraError(`git cannot be run: ${cause.message}`, { code: 'git_missing', phase: 'grade', cause }));
    });
    child.once('close', (code) => {
      resolve({ code: code ?? -1, stdout: Buffer.concat(stdout), stderr });
    });
    child.stdin.end(input ?? Buffer.alloc(0));
  });
}
