import { chmod, readFile, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { InfraError } from '@assay/failures';
import { hostEntries } from '../host-tree';
import { mountOf } from '../mounts';
import { removeTree } from '../remove-tree';
import type { ExecRequest, ExecResult, FetchBounds, Sandbox, SandboxMount, SandboxRequest } from '../sandbox.port';
import type { HostParts } from '../host-parts';
import { copyIn } from './copy-in';
import { copyOut } from './copy-out';
import type { ConfinedRoot } from './confined';
import { runInGroup } from './process-exec';
import { standardPaths } from './layout';
import { ProcessGroups } from './process-groups';
import { killStrays } from './strays';

export interface ProcessSandboxParts {
  readonly id: string;
  /**
   * What its commands carry, with a number each: the id, and what no earlier sandbox of that name had, whose watchdog may
   * still be there.
   */
  readonly mark: string;
  /** Folder of the whole sandbox, with its labels; `root` lies in it. */
  readonly dir: string;
  readonly root: ConfinedRoot;
  readonly workdir: string;
  /** Every variable that a command gets beside its own. */
  readonly env: Readonly<Record<string, string>>;
  readonly role: SandboxRequest['role'];
  readonly mounts: readonly SandboxMount[];
  readonly gatewayUrl: string | null;
  /** Starts the watchdog and returns how to call it off; asked before the first command. */
  readonly startWatchdog: () => () => void;
}

/**
 * A folder of the host and the process groups that work in it. It keeps apart what is honest by mistake; it does not
 * hold off what is hostile: commands run as the executor's own user and see the host's files and network.
 */
export class ProcessSandbox implements Sandbox {
  readonly id: string;
  readonly workdir: string;
  readonly paths: Sandbox['paths'];
  private readonly groups = new ProcessGroups();
  private commands = 0;
  /** Whether a command ran since everything was last killed: else nothing of ours can be running. */
  private unkilled = false;
  private stopWatchdog: (() => void) | null = null;
  private destroyed = false;

  constructor(private readonly parts: ProcessSandboxParts) {
    this.id = parts.id;
    this.workdir = parts.workdir;
    this.paths = standardPaths(parts.root.dir);
  }

  get gatewayUrl(): string | null {
    return this.parts.gatewayUrl;
  }

  /** Nothing is mounted: commands read the host's own folder. */
  inside(hostDir: string): string {
    return mountOf(this.parts.mounts, hostDir).hostDir;
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    if (this.destroyed) throw new InfraError('the sandbox is gone', { code: 'sandbox_gone', phase: 'agent' });
    this.commands += 1;
    this.unkilled = true;
    this.stopWatchdog ??= this.parts.startWatchdog();
    return runInGroup({
      request,
      cwd: request.cwd === undefined ? this.workdir : this.locate(request.cwd),
      env: { ...this.parts.env, ...request.env },
      marker: `${this.parts.mark}.${this.commands}`,
      groups: this.groups,
    });
  }

  async putFolder(hostDir: string, insideDir: string): Promise<void> {
    const target = this.locate(insideDir);
    await this.parts.root.makeFolder(target);
    for await (const entry of hostEntries(hostDir, this.phase)) {
      const path = join(target, entry.path);
      if (entry.kind === 'folder') {
        await this.parts.root.makeFolder(path);
        await chmod(path, entry.mode);
      } else if (entry.kind === 'file') {
        await this.parts.root.writeFile(path, await readFile(join(hostDir, entry.path)), entry.mode);
      } else {
        if ((await this.parts.root.kindAt(path)) !== 'absent') await unlink(path);
        await symlink(entry.target, path);
      }
    }
  }

  async putFile(insidePath: string, content: Buffer, mode = 0o644): Promise<void> {
    await this.parts.root.writeFile(this.locate(insidePath), content, mode);
  }

  async putParts({ hostDir, paths, insideDir, signal }: HostParts): Promise<void> {
    const to = this.locate(insideDir);
    await this.parts.root.makeFolder(to);
    await copyIn({ from: hostDir, to, paths, signal });
  }

  getFile(insidePath: string, maxBytes: number): Promise<Buffer | null> {
    return this.parts.root.readFile(this.locate(insidePath), maxBytes);
  }

  list(insideDir: string): Promise<string[]> {
    return this.parts.root.list(this.locate(insideDir));
  }

  fetchFolder(insideDir: string, hostDir: string, bounds: FetchBounds): Promise<void> {
    return copyOut(this.parts.root, this.locate(insideDir), hostDir, bounds);
  }

  async kill(): Promise<void> {
    if (!this.unkilled) return;
    this.groups.kill();
    const before = this.commands;
    const allDead = await killStrays({ marker: `${this.parts.mark}.`, dir: this.parts.root.dir });
    if (allDead && this.commands === before) this.unkilled = false;
  }

  async destroy(): Promise<void> {
    this.destroyed = true;
    await this.kill();
    this.stopWatchdog?.();
    await removeTree(this.parts.dir);
  }

  private locate(path: string): string {
    return this.parts.root.locate(path, this.workdir);
  }

  private get phase() {
    return this.parts.role === 'grade' ? ('grade' as const) : ('agent' as const);
  }
}
