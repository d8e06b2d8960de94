import { spawn } from 'node:child_process';
import { InfraError } from '@assay/failures';

export interface GitCall {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly input: Buffer;
  /** Output beyond this ends git. */
  readonly maxBytes: number;
  /** It is killed after this. Milliseconds. */
  readonly longestMs?: number;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** It was ended because it wrote more than `maxBytes`. */
  readonly truncated: boolean;
}

/** Adding the biggest workspace that is taken lasts some minutes. Milliseconds. */
const LONGEST_MS = 900_000;

/** Characters of git's complaints that are kept. */
const MAX_STDERR = 65_536;

/** Runs git on the host. @throws InfraError `git_missing`, `git_timed_out` */
export function runGit(
  args: readonly string[],
  { cwd, env, input, maxBytes, longestMs = LONGEST_MS }: GitCall,
): Promise<GitResult> {
  const child = spawn('git', args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    let size = 0;
    let stderr = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      // A child of its may hold them open.
      for (const stream of [child.stdout, child.stderr, child.stdin]) stream.destroy();
      const message = `git ${args.join(' ').slice(-200)} took longer than ${longestMs / 1000} s`;
      reject(new InfraError(message, { code: 'git_timed_out', phase: 'extract' }));
    }, longestMs);
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) child.kill('SIGKILL');
      else stdout.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8');
    });
    child.stdin.on('error', () => undefined); // git may end before it has read everything: its exit code tells
    child.once('error', (cause) => {
      clearTimeout(timer);
      reject(new InfraError(`git cannot be run: ${cause.message}`, { code: 'git_missing', phase: 'extract', cause }));
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, stdout: Buffer.concat(stdout), stderr, truncated: size > maxBytes });
    });
    child.stdin.end(input);
  });
}
