import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GradeSpec } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import type { BytePath, Sandbox } from '@assay/sandbox';
import { applyFailed } from '../grade/apply-failed';
import { runGit } from './host-git';
import { kindsOf } from './path-kinds';
import { takeAway } from './take-away';

const BOUNDS = { maxBytes: 2_147_483_648, maxEntries: 500_000 };

export interface PatchToApply {
  readonly patch: Buffer;
  readonly origin: GradeSpec['patchOrigin'];
  /** An empty folder of the host. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

/**
 * Applies a patch to a sandbox's working directory, wholly or not at all: `git apply` in a copy on the host, with a git
 * folder of our own (the image needs no git, and what lies in its `.git` changes nothing), then the changed files go
 * back. The trial took the patch from the same kind of copy. Ends soon when its signal is raised.
 * @throws TaskError or InfraError `patch_apply_failed`, by the patch's origin
 */
export async function applyPatch(sandbox: Sandbox, { patch, origin, dir, signal }: PatchToApply): Promise<void> {
  const gitDir = join(dir, 'git');
  const workTree = join(dir, 'tree');
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await mkdir(workTree);
  // Stronger than any .gitattributes in the tree: bytes are bytes.
  await writeFile(join(gitDir, 'info/attributes'), '* -text -filter -ident -working-tree-encoding !diff !merge\n');
  await sandbox.fetchFolder(sandbox.workdir, workTree, { ...BOUNDS, signal });
  const git = (args: readonly string[], input?: Buffer) =>
    runGit({ args, gitDir, workTree, signal, ...(input === undefined ? {} : { input }) });
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
  await takeAway(sandbox, gone, signal);
  const paths = [...after].filter(([, kind]) => kind === 'file' || kind === 'link').map(([path]) => path);
  await sandbox.putParts({ hostDir: workTree, paths, insideDir: sandbox.workdir, signal });
}

/** Paths of `--numstat -z`: `added TAB deleted TAB path NUL`. */
function pathsOf(numstat: Buffer): BytePath[] {
  const parts = numstat.toString('latin1').split('\0');
  const paths = parts.map((part) => part.replace(/^[\d-]+\t[\d-]+\t/, ''));
  return [...new Set(paths.filter((path) => path !== ''))];
}
