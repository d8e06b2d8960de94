import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InfraError } from '@assay/failures';

export interface GitOptions {
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly input?: Buffer;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Names that runs of tests and interpreters leave behind; they belong to no patch unless the base tree had them. */
const LEFTOVERS = ['__pycache__/', '*.pyc', '*.pyo', '.pytest_cache/'];

/**
 * A git of our own on the host, with its folder outside of any workspace: no configuration, hook, attribute or ignore
 * file of the user, the system or the workspace changes what it does.
 */
export class PrivateGit {
  private constructor(private readonly gitDir: string) {}

  static async init(gitDir: string): Promise<PrivateGit> {
    await mkdir(gitDir, { recursive: true });
    const git = new PrivateGit(gitDir);
    await git.must(['init', '--quiet', '--bare', '--template=', gitDir]);
    await mkdir(join(gitDir, 'info'), { recursive: true });
    // Stronger than any .gitattributes in the tree: bytes are bytes.
    await writeFile(join(gitDir, 'info/attributes'), '* -text -filter -ident -working-tree-encoding !diff !merge\n');
    return git;
  }

  /** The tree object of a folder's whole content, ignored files included. */
  async treeOf(workTree: string, { without = [] }: { without?: readonly string[] } = {}): Promise<string> {
    const excluded = without.map((pattern) => `:(exclude,glob)**/${pattern.replace(/\/$/, '/**')}`);
    await this.must(['add', '--all', '--force', '--', '.', ...excluded], { workTree });
    return (await this.must(['write-tree'])).stdout.toString('utf8').trim();
  }

  /** Whether a tree has files that a run leaves behind: then they are part of it, and kept. */
  async leftoversOutside(tree: string): Promise<readonly string[]> {
    const names = (await this.must(['ls-tree', '-r', '-z', '--name-only', tree])).stdout.toString('utf8');
    const tracked = /(^|\0|\/)(__pycache__\/|[^\0/]*\.py[co](\0|$)|\.pytest_cache\/)/.test(names);
    return tracked ? [] : LEFTOVERS;
  }

  /** The difference of two trees as a patch that `git apply` takes, binary files included. */
  async diff(from: string, to: string): Promise<Buffer> {
    const args = ['diff-tree', '-p', '--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv'];
    return (await this.must([...args, from, to])).stdout;
  }

  /** The tree that comes out when a patch is applied to a tree; null with git's words when it does not apply. */
  async applied(tree: string, patch: Buffer): Promise<{ tree: string } | { refused: string }> {
    const indexFile = join(this.gitDir, 'index.verify');
    await this.must(['read-tree', tree], { indexFile });
    const args = ['apply', '--cached', '--binary', '--whitespace=nowarn', '-'];
    const { code, stderr } = await this.run(args, { indexFile, input: patch });
    if (code !== 0) return { refused: stderr };
    return { tree: (await this.must(['write-tree'], { indexFile })).stdout.toString('utf8').trim() };
  }

  private async must(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    const result = await this.run(args, options);
    if (result.code === 0) return result;
    throw new InfraError(`git ${args[0] ?? ''} failed: ${result.stderr.slice(0, 1_000)}`, {
      code: 'git_failed',
      phase: 'extract',
      details: { args, exitCode: result.code },
    });
  }

  private run(args: readonly string[], { workTree, indexFile, input }: GitOptions): Promise<GitResult> {
    const config = [
      'core.hooksPath=/dev/null',
      'core.fsmonitor=false',
      'core.autocrlf=false',
      'core.fileMode=true',
      'core.quotePath=true',
      'core.symlinks=true',
      'core.excludesFile=/dev/null',
      'gc.auto=0',
    ];
    const child = spawn('git', [...config.flatMap((setting) => ['-c', setting]), ...args], {
      cwd: workTree ?? this.gitDir,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.gitDir,
        LC_ALL: 'C',
        GIT_DIR: this.gitDir,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
        ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return new Promise((resolve, reject) => {
      const stdout: Buffer[] = [];
      let stderr = '';
      child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
      child.stdin.on('error', () => undefined); // git may end before it has read everything: its exit code tells
      child.once('error', (cause) => {
        reject(new InfraError(`git cannot be run: ${cause.message}`, { code: 'git_missing', phase: 'extract', cause }));
      });
      child.once('close', (code) => {
        resolve({ code: code ?? -1, stdout: Buffer.concat(stdout), stderr });
      });
      child.stdin.end(input ?? Buffer.alloc(0));
    });
  }
}
