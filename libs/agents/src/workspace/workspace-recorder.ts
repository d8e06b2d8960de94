import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitHistory } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import type { Sandbox } from '@assay/sandbox';
import { cutHistory } from './history/cut-history';
import { PrivateGit } from './private-git';
import { sameContent } from './same-content';

/** A patch beyond this is no mending of a bug; the store and the grader would have to carry it. */
const PATCH_BOUNDS = { maxBytes: 67_108_864, maxFiles: 50_000 };

const BOUNDS = { maxBytes: 2_147_483_648, maxEntries: 500_000 };

/**
 * What an agent changed: the difference between the tree recorded just before it starts and the tree it leaves, taken on
 * copies outside of the sandbox. Commits, branches, hooks, a deleted `.git`: nothing it does to the repository matters.
 */
export class WorkspaceRecorder {
  private constructor(private readonly dir: string) {}

  /**
   * Records the sandbox's working directory. @param dir an empty folder of the host, to be removed by the caller
   * @throws InfraError `history_not_cut` when what its repositories hold beyond HEAD was to be cut and is still there
   */
  static async record(sandbox: Sandbox, dir: string, history: GitHistory): Promise<WorkspaceRecorder> {
    if (history === 'cut') await cutHistory(sandbox);
    const recorder = new WorkspaceRecorder(dir);
    await recorder.copy(sandbox, recorder.before);
    return recorder;
  }

  /**
   * The patch, or null when nothing changed. It has been applied to the recorded tree again and gave the same tree.
   * To be asked once, when nothing runs in the sandbox any more.
   * @throws InfraError `patch_does_not_reapply`; AgentError `patch_too_large`, `workspace_too_large`, `workspace_replaced`
   */
  async patch(sandbox: Sandbox): Promise<Buffer | null> {
    await this.copy(sandbox, this.after);
    if (await sameContent(this.before, this.after)) return null;
    const git = await PrivateGit.init(join(this.dir, 'git'));
    const base = await git.wholeTree(this.before);
    const left = await git.laterTree(this.after);
    await this.forgetCopies();
    if (left === base) return null;
    const patch = await git.diff(base, left, PATCH_BOUNDS);
    const again = await git.applied(base, patch);
    if ('tree' in again && again.tree === left) return patch;
    throw new InfraError('the patch does not apply again to the tree that it was taken from', {
      code: 'patch_does_not_reapply',
      phase: 'extract',
      details: 'refused' in again ? { git: again.refused.slice(0, 2_000) } : { tree: again.tree, expected: left },
    });
  }

  private get before(): string {
    return join(this.dir, 'before');
  }

  private get after(): string {
    return join(this.dir, 'after');
  }

  private async copy(sandbox: Sandbox, to: string): Promise<void> {
    await mkdir(to, { recursive: true });
    await sandbox.fetchFolder(sandbox.workdir, to, BOUNDS);
  }

  private async forgetCopies(): Promise<void> {
    for (const copy of [this.before, this.after]) await rm(copy, { recursive: true, force: true, maxRetries: 3 });
  }
}
