import { chmod, lstat, mkdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GradeSpec } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import type { Sandbox } from '@assay/sandbox';
import { applyFailed } from '../grade/apply-failed';
import { runGit } from './host-git';

const BOUNDS = { maxBytes: 2_147_483_648, maxEntries: 500_000 };
const STEP_MS = 120_000;

/** Takes files and links away, and folders that are empty then, as git does. */
const REMOVE = 'rm -f -- "$@" || exit 1; for f in "$@"; do rmdir -p -- "${f%/*}" 2>/dev/null; done; exit 0';
/** Bytes of names in one command line: far below the system's bound of 128 KiB for one argument and 2 MiB for all. */
const NAMES_BYTES = 100_000;
/** Files that are put at the same time. */
const AT_ONCE = 8;

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
  const reversed = await git(['apply', '--numstat', '-z', '--reverse', '-'], patch);
  const [old, changed] = [pathsOf(reversed.stdout), pathsOf(listed.stdout)];
  const before = await kindsOf(workTree, old);
  const applied = await git(['apply', '--binary', '--whitespace=nowarn', '-'], patch);
  if (listed.code !== 0 || applied.code !== 0) throw applyFailed(origin, applied.stderr || listed.stderr);
  const after = await kindsOf(workTree, [...old, ...changed]);
  // What was something else before goes first: a link in its place would be written through.
  const gone = old.filter((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    return (was === 'file' || was === 'link') && (was !== is || is === 'link');
  });
  await takeAway(sandbox, gone);
  await putBack(sandbox, workTree, after);
}

type Kind = 'file' | 'link' | 'folder' | null;

/** What lies at each path; null: nothing. */
async function kindsOf(workTree: string, paths: readonly string[]): Promise<Map<string, Kind>> {
  const kinds = new Map<string, Kind>();
  for (const path of paths) {
    const stat = await lstat(join(workTree, path)).catch(() => null);
    kinds.set(path, stat === null ? null : stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'folder');
  }
  return kinds;
}

/** In portions, since a command line takes only so much. */
async function takeAway(sandbox: Sandbox, paths: readonly string[]): Promise<void> {
  let names: string[] = [];
  let bytes = 0;
  for (const [at, path] of paths.entries()) {
    names.push(`./${path}`);
    bytes += Buffer.byteLength(path) + 16;
    if (bytes < NAMES_BYTES && at < paths.length - 1) continue;
    await inside(sandbox, ['sh', '-c', REMOVE, 'sh', ...names]);
    [names, bytes] = [[], 0];
  }
}

/** Paths of `--numstat -z`: `added TAB deleted TAB path NUL`. */
function pathsOf(numstat: Buffer): string[] {
  const parts = numstat.toString('utf8').split('\0');
  const paths = parts.map((part) => part.replace(/^[\d-]+\t[\d-]+\t/, ''));
  return [...new Set(paths.filter((path) => path !== ''))];
}

async function putBack(sandbox: Sandbox, workTree: string, kinds: ReadonlyMap<string, Kind>): Promise<void> {
  const files = [...kinds].filter(([, kind]) => kind === 'file').map(([path]) => path);
  const next = files[Symbol.iterator]();
  const putting = async (): Promise<void> => {
    for (const path of next) {
      const file = join(workTree, path);
      const { mode } = await lstat(file);
      if ((mode & 0o400) === 0) await chmod(file, 0o600);
      await sandbox.putFile(join(sandbox.workdir, path), await readFile(file), (mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, putting));
  for (const [path, kind] of kinds) {
    if (kind !== 'link') continue;
    const target = await readlink(join(workTree, path));
    const script = 'mkdir -p -- "$1" && ln -sn -- "$2" "$3"';
    await inside(sandbox, ['sh', '-c', script, 'sh', dirname(path), target, path]);
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
