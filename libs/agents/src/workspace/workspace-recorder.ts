import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InfraError } from '@assay/failures';
import type { Sandbox } from '@assay/sandbox';
import { PrivateGit } from './private-git';

/** A patch beyond this is no mending of a bug; the store and the grader would have to carry it. */
const MAX_PATCH_BYTES = 67_108_864;

const BOUNDS = { maxBytes: 2_147_483_648, maxEntries: 500_000 };

/**
 * What an agent changed: the difference between the tree recorded just before it starts and the tree it leaves, taken on
 * copies outside of the sandbox. Commits, branches, hooks, a deleted `.git`: nothing it does to the repository matters.
 */
export class WorkspaceRecorder {
  private constructor(
    private readonly dir: string,
    private readonly git: PrivateGit,
    private readonly base: string,
  ) {}

  /** Records the sandbox's working directory. @param dir an empty folder of the host, to be removed by the caller */
  static async record(sandbox: Sandbox, dir: string): Promise<WorkspaceRecorder> {
    const git = await PrivateGit.init(join(dir, 'git'));
    const before = join(dir, 'before');
    await mkdir(before, { recursive: true });
    await sandbox.fetchFolder(sandbox.workdir, before, BOUNDS);
    const base = await git.wholeTree(before);
    await rm(before, { recursive: true, force: true });
    return new WorkspaceRecorder(dir, git, base);
  }

  /**
   * The patch, or null when nothing changed. It has been applied to the recorded tree again and gave the same tree.
   * @throws InfraError `patch_does_not_reapply`; AgentError `patch_too_large`, `workspace_too_large`, `workspace_replaced`
   */
  async patch(sandbox: Sandbox): Promise<Buffer | null> {
    const after = join(this.dir, 'after');
    await mkdir(after, { recursive: true });
    await sandbox.fetchFolder(sandbox.workdir, after, BOUNDS);
    const left = await this.git.laterTree(after);
    await rm(after, { recursive: true, force: true });
    if (left === this.base) return null;
    const patch = await this.git.diff(this.base, left, MAX_PATCH_BYTES);
    const again = await this.git.applied(this.base, patch);
    if ('tree' in again && again.tree === left) return patch;
    throw new InfraError('the patch does not apply again to the tree that it was taken from', {
      code: 'patch_does_not_reapply',
      phase: 'extract',
      details: 'refused' in again ? { git: again.refused.slice(0, 2_000) } : { tree: again.tree, expected: left },
    });
  }
}
