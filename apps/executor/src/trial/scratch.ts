import { mkdir, mkdtemp, readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '@assay/sandbox';

/** A folder of another host's executor is left to that host unless it is older than any trial. */
const LONGEST_MS = 7 * 86_400_000;

/**
 * Folders of trials on this host: unpacked tasks and copies of workspaces. Each is removed by its trial; `sweep` removes
 * those of executors that were killed. The name says whose it is: host, then process id.
 */
export class Scratch {
  private readonly home: string;
  private readonly host = hostname().replace(/[^A-Za-z0-9]/g, '_');

  constructor(
    workDir: string,
    private readonly pid = process.pid,
  ) {
    this.home = join(workDir, 'trials');
  }

  async make(): Promise<string> {
    await mkdir(this.home, { recursive: true });
    return mkdtemp(join(this.home, `${this.host}-${this.pid}-`));
  }

  /** To be called before the first trial: then what bears this process's id is of an earlier process, too. */
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
    if (host === this.host) return Number(pid) === this.pid || !isRunning(Number(pid));
    const { mtimeMs } = await stat(join(this.home, name));
    return Date.now() - mtimeMs > LONGEST_MS;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM';
  }
}
