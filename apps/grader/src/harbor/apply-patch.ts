import { chmod, lstat, mkdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GradeSpec } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import type { Sandbox } from '@assay/sandbox';
import { applyFailed } from '../grade/apply-failed';
import { runGit } from './host-git';

const BOUNDS = { maxBytes: 2_147_483_648, maxEntries: 500_000 };
const STEP_MS = 120_000;

/** Takes files away, and folders that are empty then, as git does. */
const REMOVE = 'rm -f -- "$@" || exit 1; for f in "$@"; do rmdir -p -- "${f%/*}" 2>/dev/null; done; exit 0';

/**
 * Applies a patch to a sandbox's working directory, wholly or not at all: `git apply` in a copy on the host, with a git
 * folder of our own (the image needs no git, and what lies in its `.git` changes nothing), then the changed files go
 * back. The trial took the patch from the same kind of copy.
 * @param dir an empty folder of the host
 * @throws TaskError or InfraError `patch_apply_failed`, by the patch's origin
 */
export async function applyPatch(
  sandbox: Sandbox,
  { patch, origin, dir }: { patch: Buffer; origin: GradeSpec['patchOrigin']; dir: string },
): Promise<void> {
  const gitDir = join(dir, 'git');
  const workTree = join(dir, 'tree');
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await mkdir(workTree);
  // Stronger than any .gitattributes in the tree: bytes are bytes.
  await writeFile(join(gitDir, 'info/attributes'), '* -text -filter -ident -working-tree-encoding !diff !merge\n');
  await sandbox.fetchFolder(sandbox.workdir, workTree, BOUNDS);
  const git = (args: readonly string[], input?: Buffer) =>
    runGit({ args, gitDir, workTree, ...(input === undefined ? {} : { input }) });
  const init = await git(['init', '--quiet', '--template=']);
  if (init.code !== 0) throw new InfraError(`git init failed: ${init.stderr}`, { code: 'git_failed', phase: 'grade' });
  // Each direction lists one side of a rename.
  const listed = await git(['apply', '--numstat', '-z', '-'], patch);
  const before = await git(['apply', '--numstat', '-z', '--reverse', '-'], patch);
  const applied = await git(['apply', '--binary', '--whitespace=nowarn', '-'], patch);
  if (listed.code !== 0 || applied.code !== 0) throw applyFailed(origin, applied.stderr || listed.stderr);
  await putBack(sandbox, workTree, pathsOf(Buffer.concat([listed.stdout, before.stdout])));
}

/** Paths of `--numstat -z`: `added TAB deleted TAB path NUL`. */
function pathsOf(numstat: Buffer): string[] {
  const parts = numstat.toString('utf8').split('\0');
  const paths = parts.map((part) => part.replace(/^[\d-]+\t[\d-]+\t/, ''));
  return [...new Set(paths.filter((path) => path !== ''))];
}

async function putBack(sandbox: Sandbox, workTree: string, paths: readonly string[]): Promise<void> {
  const found = await Promise.all(
    paths.map(async (path) => ({ path, stat: await lstat(join(workTree, path)).catch(() => null) })),
  );
  const gone = found.filter(({ stat }) => stat === null || stat.isSymbolicLink()).map(({ path }) => path);
  if (gone.length > 0) await inside(sandbox, ['sh', '-c', REMOVE, 'sh', ...gone.map((path) => `./${path}`)]);
  for (const { path, stat } of found) {
    const file = join(workTree, path);
    if (stat?.isFile() === true) {
      if ((stat.mode & 0o400) === 0) await chmod(file, 0o600);
      const mode = (stat.mode & 0o100) === 0 ? 0o644 : 0o755;
      await sandbox.putFile(join(sandbox.workdir, path), await readFile(file), mode);
    } else if (stat?.isSymbolicLink() === true) {
      const target = await readlink(file);
      const parent = dirname(path);
      await inside(sandbox, ['sh', '-c', 'mkdir -p -- "$1" && ln -sn -- "$2" "$3"', 'sh', parent, target, path]);
    }
  }
}

async function inside(sandbox: Sandbox, command: readonly string[]): Promise<void> {
  const { exitCode, output } = await sandbox.exec({ command, timeoutMs: STEP_MS, maxOutputBytes: 4_096 });
  if (exitCode === 0) return;
  throw new InfraError(`the patched files cannot be put into the sandbox: ${output.toString('utf8')}`, {
    code: 'patch_not_put_back',
    phase: 'grade',
    details: { exitCode },
  });
}
