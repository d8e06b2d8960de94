import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError, InfraError } from '@assay/failures';
import { runGit, type GitResult } from './run-git';

/** What a patch may be at most. */
export interface PatchBounds {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

interface GitOptions {
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly input?: Buffer;
  readonly maxBytes?: number;
}

/** What no configuration may say otherwise. Names that are illegal elsewhere are legal in a sandbox. */
const CONFIG = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.autocrlf=false',
  'core.fileMode=true',
  'core.quotePath=true',
  'core.symlinks=true',
  'core.ignoreCase=false',
  'core.precomposeUnicode=false',
  'core.protectNTFS=false',
  'core.protectHFS=false',
  'core.excludesFile=/dev/null',
  'core.looseCompression=0',
  'gc.auto=0',
];

/** Names that runs of tests and interpreters leave behind: what the base tree has of them stays as it is there. */
const LEFTOVERS = ['__pycache__/**', '*.pyc', '*.pyo', '.pytest_cache/**'].map((glob) => `:(exclude,glob)**/${glob}`);

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
    await writeFile(
      join(gitDir, 'info/attributes'),
      '* -text -filter -ident !eol !working-tree-encoding !diff !merge !whitespace\n',
    );
    return git;
  }

  /** The tree object of a folder's whole content, ignored files included. */
  async wholeTree(workTree: string): Promise<string> {
    await this.must(['add', '--all', '--force', '--', '.'], { workTree });
    return this.writtenTree();
  }

  /**
   * The tree object of the same folder later on, against the tree taken before: what that one has is compared whatever
   * ignores it; of what is new, ignored files and leftovers of interpreters stay out, as they do with `git add`.
   */
  async laterTree(workTree: string): Promise<string> {
    await this.must(['add', '--all', '--', '.', ...LEFTOVERS], { workTree });
    return this.writtenTree();
  }

  /**
   * The difference of two trees as a patch that `git apply` takes, binary files included.
   * @throws AgentError `patch_too_large`
   */
  async diff(from: string, to: string, { maxBytes, maxFiles }: PatchBounds): Promise<Buffer> {
    const names = await this.must(['diff-tree', '-r', '--name-only', '--no-renames', '-z', from, to], { maxBytes });
    const files = names.stdout.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
    if (files > maxFiles)
      throw tooLarge(`the patch changes ${files} files, more than ${maxFiles}`, { files, maxFiles });
    const args = ['diff-tree', '-p', '--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv'];
    const { stdout, truncated } = await this.must([...args, from, to], { maxBytes });
    if (!truncated && !names.truncated) return stdout;
    throw tooLarge(`the patch has more than ${maxBytes} bytes`, { maxBytes });
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

  private async writtenTree(): Promise<string> {
    return (await this.must(['write-tree'])).stdout.toString('utf8').trim();
  }

  private async must(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    const result = await this.run(args, options);
    if (result.code === 0 || result.truncated) return result;
    throw new InfraError(`git ${args[0] ?? ''} failed: ${result.stderr.slice(0, 1_000)}`, {
      code: /No space left on device/i.test(result.stderr) ? 'disk_full' : 'git_failed',
      phase: 'extract',
      details: { args, exitCode: result.code },
    });
  }

  private run(args: readonly string[], { workTree, indexFile, input, maxBytes }: GitOptions): Promise<GitResult> {
    return runGit([...CONFIG.flatMap((setting) => ['-c', setting]), ...args], {
      cwd: workTree ?? this.gitDir,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.gitDir,
        LC_ALL: 'C',
        GIT_DIR: this.gitDir,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_ATTR_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
        ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
      },
      input: input ?? Buffer.alloc(0),
      maxBytes: maxBytes ?? Infinity,
    });
  }
}

function tooLarge(message: string, details: Record<string, number>): AgentError {
  return new AgentError(message, { code: 'patch_too_large', phase: 'extract', details });
}
