import { mkdir, mkdtemp, readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { removeTree } from './remove-tree';
import { codeOf } from './system-error';

/** A folder of another host's worker is left to that host unless it is older than any trial or grade. */
const LONGEST_MS = 7 * 86_400_000;

/** The process that a folder belongs to. */
interface Owner {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * Folders of trials or grades on this host: unpacked tasks and copies of workspaces. Each is removed by its work; `sweep`
 * removes those of workers that were killed. The name says whose it is: host, then process id.
 */
export class Scratch {
  private readonly host = hostname().replace(/[^A-Za-z0-9]/g, '_');

  /** @param home the folder that they lie in */
  constructor(
    private readonly home: string,
    private readonly owner: Owner = { pid: process.pid, startedAt: performance.timeOrigin },
  ) {}

  async make(): Promise<string> {
    await mkdir(this.home, { recursive: true });
    return mkdtemp(join(this.home, `${this.host}-${this.owner.pid}-`));
  }

  /** Resolves with how many were removed. What bears this process's id but is older is of an earlier process. */
  async sweep(): Promise<number> {
    await mkdir(this.home, { recursive: true });
    let removed = 0;
    for (const name of await readdir(this.home)) {
      if (!(await this.isLeft(name))) continue;
      await removeTree(join(this.home, name));
      removed += 1;
    }
    return removed;
  }

  private async isLeft(name: string): Promise<boolean> {
    const [host, pid] = name.split('-');
    if (host === this.host && Number(pid) !== this.owner.pid) return !isRunning(Number(pid));
    const found = await stat(join(this.home, name)).catch(() => null);
    if (found === null) return false;
    if (host === this.host) return found.mtimeMs < this.owner.startedAt;
    return Date.now() - found.mtimeMs > LONGEST_MS;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return codeOf(error) === 'EPERM';
  }
}
