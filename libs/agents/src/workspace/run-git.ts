import { spawn } from 'node:child_process';
import { InfraError } from '@assay/failures';

export interface GitCall {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly input: Buffer;
  /** Output beyond this ends git. */
  readonly maxBytes: number;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** It was ended because it wrote more than `maxBytes`. */
  readonly truncated: boolean;
}

/** Characters of git's complaints that are kept. */
const MAX_STDERR = 65_536;

/** Runs git on the host. @throws InfraError `git_missing` */
export function runGit(args: readonly string[], { cwd, env, input, maxBytes }: GitCall): Promise<GitResult> {
  const child = spawn('git', args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    let size = 0;
    let stderr = '';
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
      reject(new InfraError(`git cannot be run: ${cause.message}`, { code: 'git_missing', phase: 'extract', cause }));
    });
    child.once('close', (code) => {
      resolve({ code: code ?? -1, stdout: Buffer.concat(stdout), stderr, truncated: size > maxBytes });
    });
    child.stdin.end(input);
  });
}
